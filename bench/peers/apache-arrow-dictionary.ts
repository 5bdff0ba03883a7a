/** apache-arrow's arms of the cells `dictionary-skip` and `dictionary-whole` of the suite `ipc`. */
import {
  Dictionary,
  Field,
  Int32,
  makeData,
  makeVector,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
} from 'apache-arrow';
import { Digest } from '../harness/digest.ts';
import { freeBuffer } from '../harness/free-buffer.ts';
import type { Arm } from '../harness/suite.ts';
import type { DictionaryPart } from '../input/dictionary.ts';

/** It compares no values: what is made anew for each batch is written again with each. */
export function openDictionaryArm(parts: readonly DictionaryPart[]): Arm {
  const type = new Dictionary(new Utf8(), new Int32(), 0);
  const schema = new Schema([new Field('word', type, true)]);
  const batches = parts.map(({ indices, offsets, data }) => {
    const strings = makeData({ type: new Utf8(), length: offsets.length - 1, valueOffsets: offsets, data });
    const { length } = indices;
    const words = makeData({ type, length, data: indices, dictionary: makeVector(strings) });
    return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, children: [words] }));
  });
  const table = new Table(schema, batches);
  return {
    run: () => tableToIPC(table, 'stream'),
    release: freeBuffer,
    digest: (stream) => digestDictionaryTable(tableFromIPC(stream)),
  } satisfies Arm<Uint8Array>;
}

/** Digest of a table of one dictionary column, also for what recurve has encoded. */
export function digestDictionaryTable({ batches }: Table): string {
  const digest = new Digest();
  for (const batch of batches) digest.add([[...(batch.getChildAt(0) ?? [])]], batch.numRows);
  return digest.toString();
}
