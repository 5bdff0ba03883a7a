import type { BodyPlan } from './column-writer.ts';
import type { Codec } from './compression.ts';
import { paddingOf } from './message.ts';
import { type Piece, writePiece } from './piece.ts';

/**
 * The body with each buffer compressed: its plain length as int64 before it; −1 and the plain bytes where compressing
 * makes it no smaller. Empty buffers stay empty ("Buffer compression").
 */
export function compressBody(plan: BodyPlan, codec: Codec, alignment: number): BodyPlan {
  const buffers: number[] = [];
  const pieces: Piece[] = [];
  let end = 0;
  let next = 0;
  for (let i = 1; i < plan.buffers.length; i += 2) {
    const piece = plan.buffers[i] === 0 ? undefined : plan.pieces[next++];
    if (piece === undefined) {
      buffers.push(end, 0);
      continue;
    }
    const plain = plainBytes(piece);
    const packed = codec.compress?.(plain) ?? plain;
    const isSmaller = packed.length < plain.length;
    const bytes = isSmaller ? packed : plain;
    pieces.push({
      source: { kind: 'bytes', bytes: prefix(isSmaller ? plain.length : -1) },
      offset: end,
      byteLength: 8,
    });
    pieces.push({ source: { kind: 'bytes', bytes }, offset: end + 8, byteLength: bytes.length });
    const byteLength = 8 + bytes.length;
    buffers.push(end, byteLength);
    end += byteLength + paddingOf(byteLength, alignment);
  }
  return { ...plan, buffers, pieces, bodyLength: end, codec: codec.name };
}

function plainBytes(piece: Piece): Uint8Array {
  if (piece.source.kind === 'bytes') return piece.source.bytes;
  const bytes = new Uint8Array(piece.byteLength);
  writePiece(piece, bytes, 0);
  return bytes;
}

function prefix(byteLength: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt(byteLength), true);
  return bytes;
}
