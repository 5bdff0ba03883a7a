import { columnFromArray, type DataType, tableFromColumns, tableToIPC } from '@uwdata/flechette';
import type { RecordBatch } from '../../../src/arrow/batch.ts';
import type { Schema } from '../../../src/arrow/schema.ts';
import { tableFromIPC } from '../../../src/arrow/validate/reader.ts';
import type { Format } from '../../../src/cli/format/index.ts';
import { formats } from '../../../src/cli/format/index.ts';

/** A column to make: its name, values and type. Names may repeat. */
export type Given = readonly [name: string, values: readonly unknown[], type: DataType];

/** A batch made by a foreign implementation and read by ours. */
export function makeBatch(...columns: readonly Given[]): RecordBatch {
  const table = tableFromColumns(columns.map(([name, values, type]) => [name, columnFromArray([...values], type)]));
  const bytes = tableToIPC(table, { format: 'stream' });
  if (bytes === null) throw new Error('flechette wrote nothing');
  const [batch] = tableFromIPC(bytes).batches;
  if (batch === undefined) throw new Error('no batch');
  return batch;
}

export function formatNamed(name: string): Format {
  const format = formats.find((candidate) => candidate.name === name);
  if (format === undefined) throw new Error(`no format ${name}`);
  return format;
}

export interface Written {
  readonly text: string;
  /** Byte lengths of the writes. */
  readonly writes: readonly number[];
}

/** What a format writes for these batches. */
export async function write(
  name: string,
  schema: Schema,
  batches: readonly RecordBatch[],
  terminal?: { readonly columns: number; readonly color: boolean },
): Promise<Written> {
  const pieces: Uint8Array[] = [];
  const sink = { write: async (bytes: Uint8Array): Promise<void> => void pieces.push(bytes.slice()) };
  const { signal } = new AbortController();
  const writer = await formatNamed(name).open({ schema, sink, signal, terminal });
  for (const batch of batches) await writer.write(batch);
  await writer.end();
  return { text: Buffer.concat(pieces).toString(), writes: pieces.map((piece) => piece.length) };
}

/** What a format writes for one batch of these columns. */
export async function writeColumns(name: string, ...columns: readonly Given[]): Promise<string> {
  const batch = makeBatch(...columns);
  return (await write(name, batch.schema, [batch])).text;
}
