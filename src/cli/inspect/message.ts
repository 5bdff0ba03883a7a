import type { ByteRangeSource } from '../../arrow/ipc/file-range-reader.ts';
import { type Block, type Footer, fileHeaderBytes } from '../../arrow/ipc/footer.ts';
import {
  checkMetadataSize,
  continuation,
  describeHeader,
  headerType,
  type Message,
  readMessage,
  truncated,
} from '../../arrow/ipc/message.ts';
import { RecurveError } from '../../error.ts';

/** A message and where it lies. */
export interface PlacedMessage {
  readonly message: Message;
  /** Byte at which its prefix starts. */
  readonly offset: number;
  /** Bytes of prefix, flatbuffer and padding. */
  readonly metadataLength: number;
  body(): Promise<Uint8Array>;
}

/**
 * The messages from byte `start` on, up to the end-of-stream marker or the end of the bytes. Bodies are not read. Throws
 * INVALID_DATA when the bytes end inside of a message.
 */
export async function* walkStream(
  source: ByteRangeSource,
  start: number,
): AsyncGenerator<PlacedMessage, { readonly end: number }> {
  let at = start;
  for (let count = 0; at < source.size; count++) {
    const place = `message ${count}`;
    const placed = await readPlaced(source, at, place);
    if (placed === null) return { end: Math.min(source.size, at + (await prefixBytes(source, at))) };
    const { metadataLength, message } = placed;
    const rest = source.size - at - metadataLength;
    if (message.bodyLength > rest) throw truncated(place, 'body', message.bodyLength, rest);
    yield placed;
    at += metadataLength + message.bodyLength;
  }
  return { end: at };
}

/** The messages that a file's footer leads to: the dictionaries first, as a reader needs them. */
export async function* walkFile(source: ByteRangeSource, footer: Footer): AsyncGenerator<PlacedMessage> {
  // The footer's blocks say nothing of it, but every writer puts the whole stream there.
  const first = source.size > fileHeaderBytes ? await readPlaced(source, fileHeaderBytes, 'message 0') : null;
  if (first !== null && first.message.headerType === headerType.schema) yield first;
  for (const [i, block] of footer.dictionaries.entries()) {
    yield await readBlock(source, block, `dictionary ${i}`, headerType.dictionaryBatch);
  }
  for (const [i, block] of footer.batches.entries()) {
    yield await readBlock(source, block, `record batch ${i}`, headerType.recordBatch);
  }
}

async function readBlock(source: ByteRangeSource, block: Block, place: string, type: number): Promise<PlacedMessage> {
  const placed = await readPlaced(source, block.offset, place);
  if (placed === null) throw new RecurveError('INVALID_DATA', `${place}: there is no message at byte ${block.offset}`);
  const { message } = placed;
  if (message.headerType !== type) message.flatbuffer.fail(`the footer's block leads to a ${describeHeader(message)}`);
  if (message.bodyLength !== block.bodyLength || placed.metadataLength !== block.metadataLength) {
    message.flatbuffer.fail(
      `metadata and body have ${placed.metadataLength} and ${message.bodyLength} bytes, by the footer ${block.metadataLength} and ${block.bodyLength}`,
    );
  }
  return placed;
}

/** Null at the end-of-stream marker. */
async function readPlaced(source: ByteRangeSource, offset: number, place: string): Promise<PlacedMessage | null> {
  const prefix = await prefixBytes(source, offset);
  const size = await int32(source, offset + prefix - 4, place);
  if (size === 0) return null;
  checkMetadataSize(size, place);
  const bytes = await source.read(offset + prefix, Math.min(size, source.size - offset - prefix));
  if (bytes.length < size) throw truncated(place, 'metadata', size, bytes.length);
  const message = readMessage(bytes, place);
  const metadataLength = prefix + size;
  return {
    message,
    offset,
    metadataLength,
    async body() {
      const body = await source.read(offset + metadataLength, message.bodyLength);
      if (body.length < message.bodyLength) throw truncated(place, 'body', message.bodyLength, body.length);
      return body;
    },
  };
}

/** 8, or 4 in the framing of before Arrow 0.15, which has no continuation marker. */
async function prefixBytes(source: ByteRangeSource, offset: number): Promise<4 | 8> {
  return (await int32(source, offset, `byte ${offset}`)) === continuation ? 8 : 4;
}

async function int32(source: ByteRangeSource, offset: number, place: string): Promise<number> {
  const bytes = await source.read(offset, 4);
  if (bytes.length < 4) throw truncated(place, 'prefix', 4, bytes.length);
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true);
}
