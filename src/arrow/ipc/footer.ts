import { RecurveError } from '../../error.ts';
import { FlatbufferReader } from '../flatbuffer/reader.ts';
import { writeFlatbuffer } from '../flatbuffer/writer.ts';
import type { Metadata } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { checkVersion, metadataVersion } from './message.ts';
import { metadataSlot, readEndianness, readMetadata, readSchema, schemaSlots } from './schema.ts';

/** `ARROW1`, at both ends of a file. */
const magic: readonly number[] = [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31];

/** Bytes of the magic and its padding, before the first message of a file. */
export const fileHeaderBytes = 8;

/** Bytes of the footer's size and the magic, at the end of a file. */
export const fileTrailerBytes = 10;

/** Where a message lies in a file (File.fbs, `Block`). */
export interface Block {
  readonly offset: number;
  /** With its prefix and padding. */
  readonly metadataLength: number;
  readonly bodyLength: number;
}

/** The index of a file (File.fbs, `Footer`). */
export interface Footer {
  readonly schema: Schema;
  /** Whether bodies are big-endian. Never written. */
  readonly isBigEndian?: boolean;
  readonly dictionaries: readonly Block[];
  readonly batches: readonly Block[];
  /** The footer's own `custom_metadata`. */
  readonly metadata: Metadata;
}

/** Whether bytes begin as a file does. A stream never does. */
export function startsWithMagic(bytes: Uint8Array, at = 0): boolean {
  return magic.every((byte, i) => bytes[at + i] === byte);
}

/** Whether bytes end as a file does. */
export function endsWithMagic(bytes: Uint8Array): boolean {
  return bytes.length >= fileTrailerBytes && startsWithMagic(bytes, bytes.length - magic.length);
}

/** Throws INVALID_DATA when bytes do not begin as a file does. */
export function checkHeader(bytes: Uint8Array): void {
  if (startsWithMagic(bytes)) return;
  throw new RecurveError('INVALID_DATA', 'this is no Arrow file: it does not begin with the magic ARROW1', {
    hint: 'a stream has no magic: read it with StreamReader, or either with tableFromIPC',
  });
}

/**
 * The byte at which the footer of a file of `size` bytes starts, by its last bytes. Throws INVALID_DATA when they are not
 * the end of a file, such as when it was cut off.
 */
export function locateFooter(trailer: Uint8Array, size: number): number {
  if (!endsWithMagic(trailer)) {
    throw new RecurveError(
      'INVALID_DATA',
      `the file of ${size} bytes does not end with the magic ARROW1: it is cut off, or no Arrow file`,
    );
  }
  const at = trailer.length - fileTrailerBytes;
  const length = new DataView(trailer.buffer, trailer.byteOffset + at, 4).getInt32(0, true);
  const start = size - fileTrailerBytes - length;
  if (length <= 0 || start < fileHeaderBytes) {
    throw new RecurveError('INVALID_DATA', `the file of ${size} bytes claims a footer of ${length} bytes`);
  }
  return start;
}

/** Reads the footer that starts at byte `start` of its file. Every block lies between the file's header and there. */
export function readFooter(bytes: Uint8Array, start: number): Footer {
  const flatbuffer = new FlatbufferReader(bytes, 'footer');
  const root = flatbuffer.root();
  // Arrow 0.14 left the footer's version at V1 though its messages are V4: each message is checked for itself.
  checkVersion(Math.max(flatbuffer.int16(root, 0), metadataVersion.v4), 'footer');
  const schema = flatbuffer.table(root, 1);
  if (schema === 0) flatbuffer.fail('there is no schema');
  return {
    schema: readSchema(flatbuffer, schema),
    isBigEndian: readEndianness(flatbuffer, schema),
    dictionaries: readBlocks(flatbuffer, root, 2, 'dictionary', start),
    batches: readBlocks(flatbuffer, root, 3, 'record batch', start),
    metadata: readMetadata(flatbuffer, root, 4),
  };
}

function readBlocks(flatbuffer: FlatbufferReader, root: number, slot: number, name: string, limit: number): Block[] {
  const vector = flatbuffer.vector(root, slot, 24);
  const blocks: Block[] = [];
  for (let i = 0; i < vector.length; i++) {
    const at = vector.start + 24 * i;
    const offset = flatbuffer.int64At(at);
    const metadataLength = flatbuffer.int32At(at + 8);
    const bodyLength = flatbuffer.int64At(at + 16);
    if (
      offset < fileHeaderBytes ||
      metadataLength < 8 ||
      bodyLength < 0 ||
      offset + metadataLength + bodyLength > limit
    ) {
      flatbuffer.fail(
        `${name} ${i} has ${metadataLength} bytes of metadata and ${bodyLength} of body at byte ${offset}, but the messages end at ${limit}`,
      );
    }
    blocks.push({ offset, metadataLength, bodyLength });
  }
  return blocks;
}

/** The magic and its padding. */
export function fileHeader(): Uint8Array {
  return Uint8Array.from({ length: fileHeaderBytes }, (_, i) => magic[i] ?? 0);
}

/** The footer with its size and the magic after it. */
export function writeFooter({ schema, dictionaries, batches, metadata }: Footer): Uint8Array {
  const flatbuffer = writeFlatbuffer([
    ['int16', metadataVersion.v5],
    ['table', schemaSlots(schema)],
    ['structs', blockWords(dictionaries), 3],
    ['structs', blockWords(batches), 3],
    metadataSlot(metadata),
  ]);
  const bytes = new Uint8Array(flatbuffer.length + fileTrailerBytes);
  bytes.set(flatbuffer);
  new DataView(bytes.buffer).setInt32(flatbuffer.length, flatbuffer.length, true);
  bytes.set(magic, flatbuffer.length + 4);
  return bytes;
}

/** The metadata's 32-bit length and the struct's 4 bytes of padding make up one word. */
function blockWords(blocks: readonly Block[]): number[] {
  return blocks.flatMap(({ offset, metadataLength, bodyLength }) => [offset, metadataLength, bodyLength]);
}
