import { RecurveError } from '../../error.ts';

/** `CompressionType` (Message.fbs): LZ4 frames and ZSTD. */
export type CodecName = 'lz4' | 'zstd';

/**
 * Compresses and expands single buffers. `loadCodecs()` of `recurve/codec` gives those that come with this package; any
 * object of this shape does.
 */
export interface Codec {
  readonly name: CodecName;
  /**
   * Expands to exactly `uncompressedByteLength` bytes, which nobody else changes, and never writes past it. Throws
   * INVALID_DATA for what is malformed or of another length.
   */
  decompress(bytes: Uint8Array, uncompressedByteLength: number): Uint8Array;
  /** Left out by a codec that only reads. */
  compress?(bytes: Uint8Array): Uint8Array;
}

/** How compressed bodies are read. */
export interface DecompressOptions {
  /**
   * What compressed bodies are read with. Asynchronous readers load those of `recurve/codec` when they meet such a body and
   * this is not given; synchronous readers then throw INVALID_STATE.
   */
  readonly codecs?: readonly Codec[] | undefined;
  /**
   * Bytes that the buffers of one message may expand to; more is INVALID_DATA, before memory is taken. Default 1 GiB, so
   * that a small hostile input cannot take all there is.
   */
  readonly maxDecompressedBytes?: number | undefined;
}

/** How bodies are compressed. */
export interface CompressOptions {
  /**
   * Compresses each buffer of a body that gets smaller by it. Default: none. By name, the codec is taken from `codecs`, which
   * must have it.
   */
  readonly compression?: CodecName | Codec | undefined;
  /** Where `compression` looks for a name: `await loadCodecs()` of `recurve/codec`. */
  readonly codecs?: readonly Codec[] | undefined;
}

const defaultMaxBytes = 2 ** 30;
const prefixBytes = 8;

/** The codecs of one reader, which may come when they are first needed. */
export class BodyCodecs {
  declare readonly maxBytes: number;
  declare known: readonly Codec[] | undefined;

  constructor(options: DecompressOptions) {
    this.known = options.codecs;
    this.maxBytes = options.maxDecompressedBytes ?? defaultMaxBytes;
  }

  /** Expands a buffer that is not empty: an int64 of its plain length, −1 for plain bytes, then the data. */
  decompress(name: CodecName, bytes: Uint8Array, maxBytes: number): Uint8Array {
    if (bytes.length < prefixBytes) invalid(`${bytes.length} bytes are too few for the ${prefixBytes} of the length`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, prefixBytes);
    // Little-endian whatever the body is.
    const byteLength = view.getInt32(4, true) * 2 ** 32 + view.getUint32(0, true);
    const data = bytes.subarray(prefixBytes);
    if (byteLength === -1) return data;
    if (byteLength < 0 || byteLength > maxBytes) {
      invalid(
        `expands to ${byteLength} bytes, of at most ${maxBytes} left`,
        'raise maxDecompressedBytes if it is to be trusted',
      );
    }
    const codec = this.known?.find((known) => known.name === name);
    if (codec === undefined) throw missingCodec(name, 'tableFromIPC(bytes, { codecs: await loadCodecs() })');
    let plain: Uint8Array;
    try {
      plain = codec.decompress(data, byteLength);
    } catch (cause) {
      if (RecurveError.is(cause)) throw cause;
      throw new RecurveError('INVALID_DATA', cause instanceof Error ? cause.message : String(cause), { cause });
    }
    if (plain.length !== byteLength) invalid(`expands to ${plain.length} bytes instead of ${byteLength}`);
    return plain;
  }
}

/** The codec that a writer is to use; null for none. Throws INVALID_STATE for a name that `codecs` do not have. */
export function compressorOf({ compression, codecs }: CompressOptions): Codec | null {
  if (compression === undefined) return null;
  const codec = typeof compression === 'object' ? compression : codecs?.find(({ name }) => name === compression);
  if (codec?.compress !== undefined) return codec;
  throw missingCodec(`${compression}`, `{ compression: '${compression}', codecs: await loadCodecs() }`);
}

function missingCodec(name: string, call: string): RecurveError {
  return new RecurveError('INVALID_STATE', `there is no codec for ${name}`, {
    hint: `load them first, from recurve/codec: ${call}`,
  });
}

function invalid(what: string, hint?: string): never {
  throw new RecurveError('INVALID_DATA', what, { hint });
}
