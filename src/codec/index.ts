import type { Codec } from '../arrow/ipc/compression.ts';
import { readLz4 } from './lz4/read-frame.ts';
import { writeLz4 } from './lz4/write-frame.ts';
import { loadZstd } from './zstd/codec.ts';

export type { Codec, CodecName } from '../arrow/ipc/compression.ts';

let loading: Promise<readonly Codec[]> | undefined;

/**
 * The codecs of Arrow's compressed bodies, LZ4 frames and ZSTD, for reading and writing: for the `codecs` of `tableFromIPC`,
 * `FileReader` and the writers. Asynchronous readers call this by themselves.
 *
 * Loaded once: ZSTD is the platform's own where there is one (Node from 22.15 on), else WebAssembly, which is part of the
 * code: no file and no network. Under a content-security policy it needs `wasm-unsafe-eval` and `connect-src data:`.
 */
export function loadCodecs(): Promise<readonly Codec[]> {
  loading ??= loadZstd().then(
    (zstd) => [lz4(), zstd],
    (error) => {
      loading = undefined;
      throw error;
    },
  );
  return loading;
}

/** LZ4 frames, in plain code; ready without waiting. */
export function lz4(): Codec {
  return { name: 'lz4', decompress: readLz4, compress: writeLz4 };
}
