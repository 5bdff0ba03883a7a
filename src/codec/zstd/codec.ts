import { ZSTDDecoder } from 'zstddec';
import { nativeZstd } from '#platform';
import type { Codec } from '../../arrow/ipc/compression.ts';
import { RecurveError } from '../../error.ts';
import { checkZstd } from './frame.ts';
import { writeZstd } from './write-frame.ts';

/** Beyond this, in bytes of both sides, the decoder's memory of at most 2 GiB could run out, which it does not survive. */
const maxWasmBytes = 2 ** 30;

/** ZSTD: the platform's own where it has one, else a decoder in WebAssembly and an encoder in plain code. */
export async function loadZstd(): Promise<Codec> {
  return nativeCodec() ?? (await loadPortableZstd());
}

function nativeCodec(): Codec | null {
  const native = nativeZstd();
  if (native === null) return null;
  return {
    name: 'zstd',
    decompress(bytes, byteLength) {
      checkZstd(bytes, byteLength);
      try {
        return checkLength(native.decompress(bytes, byteLength), byteLength);
      } catch (cause) {
        throw RecurveError.is(cause) ? cause : malformed(byteLength, cause);
      }
    },
    compress: native.compress,
  };
}

/** ZSTD without the platform's help. */
export async function loadPortableZstd(): Promise<Codec> {
  const decoder = new ZSTDDecoder();
  await decoder.init();
  return {
    name: 'zstd',
    decompress(bytes, byteLength) {
      checkZstd(bytes, byteLength);
      if (bytes.length + byteLength > maxWasmBytes) {
        throw new RecurveError(
          'NOT_IMPLEMENTED',
          `ZSTD: a buffer of ${byteLength} bytes is too long to be expanded here, where the platform has no ZSTD`,
          { hint: 'write smaller batches, or use Node 22.15 or newer' },
        );
      }
      // For a length of 0 the decoder would take what the frame says; for malformed data it gives no bytes.
      return checkLength(decoder.decode(bytes, Math.max(byteLength, 1)), byteLength);
    },
    compress: writeZstd,
  };
}

function checkLength(plain: Uint8Array, byteLength: number): Uint8Array {
  if (plain.length !== byteLength) throw malformed(byteLength);
  return plain;
}

function malformed(byteLength: number, cause?: unknown): RecurveError {
  return new RecurveError(
    'INVALID_DATA',
    `ZSTD: the data are malformed, or not of the ${byteLength} bytes that were said`,
    {
      cause,
    },
  );
}
