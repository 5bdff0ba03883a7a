import { allocate } from '#platform';
import { RecurveError } from '../../error.ts';
import { xxhash32 } from '../xxhash32.ts';
import { readBlock } from './block.ts';

/** Bytes of `FLG`: version, and what a frame has. */
const flag = { independent: 0x20, blockChecksum: 0x10, contentSize: 0x08, contentChecksum: 0x04, dictionary: 0x01 };
const frameMagic = 0x184d2204;

/**
 * Expands LZ4 frames that stand back to back to exactly `byteLength` bytes ("LZ4 Frame Format Description"): linked and
 * independent blocks, blocks stored raw, skippable frames; every checksum that is there is verified. Throws INVALID_DATA
 * for anything else, before allocating where the bytes cannot hold that much, and NOT_IMPLEMENTED for a dictionary.
 */
export function readLz4(bytes: Uint8Array, byteLength: number): Uint8Array {
  // A byte of a block stands for at most 255.
  if (byteLength > bytes.length * 255) fail(`${bytes.length} bytes cannot hold ${byteLength}`);
  const target = allocate(byteLength);
  const reader = new FrameReader(bytes, target);
  while (reader.next());
  if (reader.filled !== byteLength)
    fail(`the frames hold ${reader.filled} bytes, not the ${byteLength} that were said`);
  return target;
}

class FrameReader {
  filled = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #target: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array, target: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#target = target;
  }

  /** Reads one frame; false at the end of the bytes. */
  next(): boolean {
    if (this.#at === this.#bytes.length) return false;
    const magic = this.#uint32('magic');
    if (magic >>> 4 === 0x184d2a5) {
      this.#skip(this.#uint32('size'), 'skippable frame');
      return true;
    }
    if (magic !== frameMagic) fail(`0x${magic.toString(16)} is no frame's magic`);
    this.#frame();
    return true;
  }

  #frame(): void {
    const headerStart = this.#at;
    this.#skip(2, 'descriptor');
    const flags = this.#bytes[headerStart] ?? 0;
    const blockClass = this.#bytes[headerStart + 1] ?? 0;
    if (flags >>> 6 !== 1 || (flags & 2) !== 0) fail(`a frame has flags 0x${flags.toString(16)}`);
    if ((blockClass & 0x8f) !== 0 || blockClass >>> 4 < 4) fail(`a frame has block sizes 0x${blockClass.toString(16)}`);
    const maxBlockBytes = 1 << (8 + 2 * (blockClass >>> 4));
    let contentSize: number | null = null;
    if ((flags & flag.contentSize) !== 0) {
      this.#skip(8, 'content size');
      contentSize = Number(this.#view.getBigUint64(this.#at - 8, true));
      if (contentSize > this.#target.length - this.filled) {
        fail(`a frame of ${contentSize} bytes where ${this.#target.length - this.filled} are left`);
      }
    }
    if ((flags & flag.dictionary) !== 0) {
      throw new RecurveError('NOT_IMPLEMENTED', 'an LZ4 frame needs a dictionary, which is not supported');
    }
    const checksum = (xxhash32(this.#bytes.subarray(headerStart, this.#at)) >>> 8) & 0xff;
    this.#skip(1, 'header checksum');
    if (this.#bytes[this.#at - 1] !== checksum) fail('the checksum of a frame header is wrong');

    const start = this.filled;
    while (this.#block(flags, maxBlockBytes, start));
    const content = this.#target.subarray(start, this.filled);
    if ((flags & flag.contentChecksum) !== 0 && this.#uint32('content checksum') !== xxhash32(content)) {
      fail('the checksum of the content is wrong');
    }
    if (contentSize !== null && contentSize !== content.length) {
      fail(`a frame of ${contentSize} bytes holds ${content.length}`);
    }
  }

  /** Reads one block; false for the end mark. */
  #block(flags: number, maxBlockBytes: number, frameStart: number): boolean {
    const word = this.#uint32('block size');
    if (word === 0) return false;
    const size = word & 0x7fffffff;
    if (size > maxBlockBytes) fail(`a block of ${size} bytes, in a frame of at most ${maxBlockBytes}`);
    const start = this.#at;
    this.#skip(size, 'block');
    if ((flags & flag.blockChecksum) !== 0) {
      const checksum = this.#uint32('block checksum');
      if (checksum !== xxhash32(this.#bytes.subarray(start, start + size))) fail('the checksum of a block is wrong');
    }
    const before = this.filled;
    if (word !== size) {
      if (size > this.#target.length - before) fail(`a raw block of ${size} bytes that does not fit`);
      this.#target.set(this.#bytes.subarray(start, start + size), before);
      this.filled += size;
    } else {
      this.filled = readBlock({
        source: this.#bytes,
        start,
        end: start + size,
        target: this.#target,
        at: before,
        history: (flags & flag.independent) !== 0 ? before : frameStart,
      });
    }
    if (this.filled - before > maxBlockBytes) fail(`a block of more than ${maxBlockBytes} bytes`);
    return true;
  }

  #uint32(what: string): number {
    this.#skip(4, what);
    return this.#view.getUint32(this.#at - 4, true);
  }

  #skip(byteCount: number, what: string): void {
    const rest = this.#bytes.length - this.#at;
    if (byteCount > rest) fail(`cut off after ${rest} of the ${byteCount} bytes of its ${what}`);
    this.#at += byteCount;
  }
}

function fail(what: string): never {
  throw new RecurveError('INVALID_DATA', `LZ4: ${what}`);
}
