/** recurve's arms of the cells `dictionary-skip`, `dictionary-delta` and `dictionary-whole` of the suite `ipc`. */
import { tableFromIPC as apacheTable } from 'apache-arrow';
import { dictionary, field, int32, makeColumn, RecordBatch, Schema, tableToIPC, utf8 } from 'recurve/arrow';
import { freeBuffer } from '../harness/free-buffer.ts';
import type { Arm } from '../harness/suite.ts';
import type { DictionaryPart } from '../input/dictionary.ts';
import { digestDictionaryTable } from '../peers/apache-arrow-dictionary.ts';

/** `dictionaryDeltas` false writes a dictionary that has grown whole. */
export function openDictionaryArm(parts: readonly DictionaryPart[], options: { dictionaryDeltas: boolean }): Arm {
  const word = field('word', dictionary(utf8(), int32()));
  const values = field('values', utf8());
  const schema = new Schema([word]);
  const batches = parts.map(({ indices, offsets, data }) => {
    const length = offsets.length - 1;
    const strings = makeColumn(values, { type: values.type, length, nullCount: 0, validity: null, offsets, data });
    const layout = { type: word.type, length: indices.length, nullCount: 0, validity: null, values: indices };
    return new RecordBatch(schema, [makeColumn(word, { ...layout, dictionary: strings })]);
  });
  return {
    run: () => tableToIPC({ schema, batches }, options),
    release: freeBuffer,
    digest: (stream) => digestDictionaryTable(apacheTable(stream)),
  } satisfies Arm<Uint8Array>;
}
