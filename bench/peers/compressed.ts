/** The arms of the cells `lz4-decode` and `zstd-decode` of the suite `ipc`. */
import * as flechette from '@uwdata/flechette';
import * as apache from 'apache-arrow';
import { tableFromIPC } from 'recurve/arrow';
import { lz4 } from 'recurve/codec';
import { loadPortableZstd } from '../../src/codec/zstd/codec.ts';
import { Digest } from '../harness/digest.ts';
import type { Arm } from '../harness/suite.ts';

const columns = ['id', 'value', 'name'];

/** The package's own codecs, without the platform's. */
export async function openRecurve(bytes: Uint8Array): Promise<Arm> {
  const codecs = [lz4(), await loadPortableZstd()];
  return {
    run: () => tableFromIPC(bytes, { codecs }),
    digest: (table) =>
      digestColumns(
        columns.map((name) => table.column(name).toArray()),
        table.numRows,
      ),
  } satisfies Arm<ReturnType<typeof tableFromIPC>>;
}

type Name = 'lz4' | 'zstd';

/** A decoder in JavaScript, as the peers' documentation has it; what fzstd gives is not aligned, as apache-arrow needs it. */
async function peerDecoder(codec: Name): Promise<(bytes: Uint8Array) => Uint8Array> {
  if (codec === 'lz4') return (await import('lz4js')).decompress;
  const { decompress } = await import('fzstd');
  return (bytes) => decompress(bytes).slice();
}

/** apache-arrow with lz4js or fzstd in its registry. */
export async function openApache(codec: Name, bytes: Uint8Array): Promise<Arm> {
  const { CompressionType, compressionRegistry } = apache;
  const type = codec === 'lz4' ? CompressionType.LZ4_FRAME : CompressionType.ZSTD;
  compressionRegistry.set(type, { decode: await peerDecoder(codec) });
  return {
    run: () => apache.tableFromIPC(bytes),
    digest: (table) =>
      digestColumns(
        columns.map((name) => table.getChild(name)?.toArray() ?? []),
        table.numRows,
      ),
  } satisfies Arm<apache.Table>;
}

/** flechette with lz4js or fzstd in its registry. */
export async function openFlechette(codec: Name, bytes: Uint8Array): Promise<Arm> {
  const { CompressionType, setCompressionCodec } = flechette;
  const type = codec === 'lz4' ? CompressionType.LZ4_FRAME : CompressionType.ZSTD;
  setCompressionCodec(type, { decode: await peerDecoder(codec), encode: (data: Uint8Array) => data });
  return {
    run: () => flechette.tableFromIPC(bytes),
    digest: (table) =>
      digestColumns(
        columns.map((name) => table.getChild(name).toArray()),
        table.numRows,
      ),
  } satisfies Arm<flechette.Table>;
}

function digestColumns(values: ArrayLike<unknown>[], rows: number): string {
  const digest = new Digest();
  digest.add(values, rows);
  return digest.toString();
}
