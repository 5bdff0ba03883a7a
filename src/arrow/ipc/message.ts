import { RecurveError } from '../../error.ts';
import { FlatbufferReader } from '../flatbuffer/reader.ts';
import { type TableSlots, writeFlatbuffer } from '../flatbuffer/writer.ts';
import type { Metadata } from '../metadata.ts';
import { metadataSlot, readMetadata } from './schema.ts';

/** `MetadataVersion` (Schema.fbs): V4 and V5 are read, V5 is written. */
export const metadataVersion = { v4: 3, v5: 4 } as const;

/** `MessageHeader` (Message.fbs). */
export const headerType = { schema: 1, dictionaryBatch: 2, recordBatch: 3, tensor: 4, sparseTensor: 5 } as const;

/** What stands before the size of a message's metadata since Arrow 0.15. */
export const continuation = -1;

/** The metadata of an encapsulated message, still a flatbuffer. */
export interface Message {
  /** Which one it is, for errors: `message 3`. */
  readonly place: string;
  readonly flatbuffer: FlatbufferReader;
  /** See {@link metadataVersion}. */
  readonly version: number;
  /** See {@link headerType}. */
  readonly headerType: number;
  /** The header's table in `flatbuffer`. */
  readonly header: number;
  readonly bodyLength: number;
  readonly metadata: Metadata;
}

/** Reads a message's flatbuffer. Throws INVALID_DATA, and NOT_IMPLEMENTED for a version that is too old. */
export function readMessage(bytes: Uint8Array, place: string): Message {
  const flatbuffer = new FlatbufferReader(bytes, place);
  const root = flatbuffer.root();
  const version = checkVersion(flatbuffer.int16(root, 0), place);
  const header = flatbuffer.table(root, 2);
  if (header === 0) flatbuffer.fail('the message has no header');
  const bodyLength = flatbuffer.int64(root, 3);
  if (bodyLength < 0) flatbuffer.fail(`the body has ${bodyLength} bytes`);
  const metadata = readMetadata(flatbuffer, root, 4);
  return { place, flatbuffer, version, headerType: flatbuffer.uint8(root, 1), header, bodyLength, metadata };
}

/** Returns `version` when it can be read. */
export function checkVersion(version: number, place: string): number {
  if (version < metadataVersion.v4) {
    throw new RecurveError(
      'NOT_IMPLEMENTED',
      `${place}: metadata version V${version + 1} is not supported, V4 and V5 are`,
    );
  }
  if (version > metadataVersion.v5) {
    throw new RecurveError(
      'INVALID_DATA',
      `${place}: metadata version ${version} is newer than V5 (4), the newest known`,
    );
  }
  return version;
}

/** What the message is, for errors. */
export function describeHeader(message: Message): string {
  const name = Object.entries(headerType).find(([, value]) => value === message.headerType)?.[0];
  return name ?? `header of type ${message.headerType}`;
}

/** A message and its body, in place. */
export interface FramedMessage {
  readonly message: Message;
  readonly body: Body;
}

/** The bytes of a body: all of them, or those parts that somebody needs. */
export interface Body {
  readonly length: number;
  /** Bytes `start` up to `end`, which lie inside of it, as a view. */
  subarray(start: number, end: number): Uint8Array;
}

/**
 * Walks the encapsulated messages of resident bytes ("Encapsulated message format"), with the framing of before 0.15 too,
 * which has no continuation marker.
 */
export class MessageCursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  /** Byte at which the next message starts. */
  declare position: number;
  readonly #place: string | undefined;
  #count = 0;

  /** `place` is for a cursor over one message, which else would be `message 0`. */
  constructor(bytes: Uint8Array, position = 0, place?: string) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.position = position;
    this.#place = place;
  }

  /** The next message; null at the end-of-stream marker and at the end of the bytes. Throws INVALID_DATA when cut off. */
  next(): FramedMessage | null {
    const message = this.head();
    return message === null ? null : { message, body: this.#take(message.bodyLength, message.place, 'body') };
  }

  /** As `next`, but without the body, which starts at `position` then. */
  head(): Message | null {
    const place = this.#place ?? `message ${this.#count}`;
    if (this.position === this.#bytes.length) return null;
    let size = this.#size(place);
    if (size === continuation) size = this.#size(place);
    if (size === 0) return null;
    checkMetadataSize(size, place);
    this.#count++;
    return readMessage(this.#take(size, place, 'metadata'), place);
  }

  /** Passes over zeroes, by words of 4 bytes and at the end; false when nothing is left. */
  skipZeroes(): boolean {
    const rest = this.#bytes.subarray(this.position);
    const start = rest.findIndex((byte) => byte !== 0);
    this.position = start < 0 ? this.#bytes.length : this.position + start - (start % 4);
    return start >= 0;
  }

  #size(place: string): number {
    this.#take(4, place, 'prefix');
    return this.#view.getInt32(this.position - 4, true);
  }

  #take(byteCount: number, place: string, what: string): Uint8Array {
    const start = this.position;
    const rest = this.#bytes.length - start;
    if (byteCount > rest) throw truncated(place, what, byteCount, rest);
    this.position += byteCount;
    return this.#bytes.subarray(start, this.position);
  }
}

/** The error of an input that ends inside of a message. */
export function truncated(place: string, what: string, expected: number, received: number): RecurveError {
  return new RecurveError(
    'INVALID_DATA',
    `${place}: the input is cut off after ${received} of the ${expected} bytes of its ${what}`,
  );
}

/** The error of an input without a schema. */
export function emptyStream(): RecurveError {
  return new RecurveError('INVALID_DATA', 'the stream is empty: it has not even a schema');
}

/** Throws INVALID_DATA for a size of metadata that no message has. */
export function checkMetadataSize(size: number, place: string): void {
  if (size < 0)
    throw new RecurveError('INVALID_DATA', `${place}: the metadata has ${size} bytes: this is no Arrow message`);
}

/** Bytes to add to `size` to reach a multiple of `alignment`, a power of two. */
export function paddingOf(size: number, alignment: number): number {
  return (alignment - (size % alignment)) % alignment;
}

/** The end-of-stream marker. */
export function endOfStream(): Uint8Array {
  return Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
}

/** What a message says besides its header. */
export interface MessageOptions {
  readonly bodyLength: number;
  readonly metadata: Metadata;
  /** Byte of the stream or file at which the message starts; its body then starts at a multiple of `alignment`. */
  readonly position: number;
  readonly alignment: number;
  /** Whether the bytes may lie in memory that they share with those of other messages: only to be copied. Default false. */
  readonly shared?: boolean | undefined;
}

/** Memory that messages share, and what of it is taken: some of its own for each would cost more than writing it. */
let room: Uint8Array | undefined;
let taken = 0;

const roomBytes = 8192;

function takeRoom(byteLength: number): Uint8Array {
  if (byteLength > roomBytes) return new Uint8Array(byteLength);
  if (room === undefined || taken + byteLength > roomBytes) {
    room = new Uint8Array(roomBytes);
    taken = 0;
  }
  taken += byteLength;
  return room.subarray(taken - byteLength, taken);
}

/** Prefix, metadata and padding of a message: all but its body. */
export function writeMessage(type: number, header: TableSlots, options: MessageOptions): Uint8Array {
  const flatbuffer = writeFlatbuffer([
    ['int16', metadataVersion.v5],
    ['int8', type],
    ['table', header],
    ['int64', options.bodyLength],
    metadataSlot(options.metadata),
  ]);
  const size = flatbuffer.length + paddingOf(options.position + 8 + flatbuffer.length, options.alignment);
  const bytes = options.shared ? takeRoom(8 + size) : new Uint8Array(8 + size);
  bytes.fill(0xff, 0, 4);
  // Assignments, since a DataView for two words costs as much as the rest.
  for (let i = 0; i < 4; i++) bytes[4 + i] = size >>> (8 * i);
  bytes.set(flatbuffer, 8);
  bytes.fill(0, 8 + flatbuffer.length);
  return bytes;
}
