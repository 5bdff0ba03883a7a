import { Field, Float64, Int32, makeData, RecordBatch, Schema, Struct, Table, tableToIPC, Utf8 } from 'apache-arrow';
import { Random } from '../harness/random.ts';

/** What {@link makeStream} makes. */
export interface StreamShape {
  readonly rows: number;
  readonly batches: number;
}

/** The measured stream, 23 MB, and the one that shows in a second that all works. */
export const wholeStream: StreamShape = { rows: 1_000_000, batches: 16 };
export const quickStream: StreamShape = { rows: 16_000, batches: 16 };

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const ACCENTED = ['é', 'ß', 'Ł', '€', '語', '🚲'];

/**
 * An Arrow stream of three columns without nulls: `id` int32, any of its values; `value` float64, multiples of 1/64 below
 * 2^25, so that a sum is exact in every order of addition; `name` utf8, 2 to 12 letters and digits, 7 on average, and in
 * the last batch every tenth value begins with a character of two to four bytes. Always the same bytes, written by
 * apache-arrow, so that no arm reads what its own library wrote but that one.
 */
export function makeStream({ rows, batches }: StreamShape): Uint8Array {
  const random = new Random(20_240_229);
  const schema = new Schema([
    new Field('id', new Int32(), false),
    new Field('value', new Float64(), false),
    new Field('name', new Utf8(), false),
  ]);
  const length = rows / batches;
  const made = Array.from({ length: batches }, (_, batch) => {
    const ids = Int32Array.from({ length }, () => random.uint32() | 0);
    const values = Float64Array.from({ length }, () => random.below(2 ** 31) / 64);
    const names = makeNames(length, random, batch === batches - 1);
    const children = [
      makeData({ type: new Int32(), length, data: ids }),
      makeData({ type: new Float64(), length, data: values }),
      makeData({ type: new Utf8(), length, valueOffsets: names.offsets, data: names.data }),
    ];
    return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }));
  });
  return tableToIPC(new Table(schema, made), 'stream');
}

function makeNames(length: number, random: Random, accents: boolean): { offsets: Int32Array; data: Uint8Array } {
  const offsets = new Int32Array(length + 1);
  const texts: string[] = [];
  const encoder = new TextEncoder();
  let end = 0;
  for (let i = 0; i < length; i++) {
    let text = accents && i % 10 === 0 ? (ACCENTED[random.below(ACCENTED.length)] ?? '') : '';
    for (let size = 2 + random.below(11); size > 0; size--) text += LETTERS[random.below(LETTERS.length)] ?? '';
    texts.push(text);
    end += encoder.encode(text).length;
    offsets[i + 1] = end;
  }
  return { offsets, data: encoder.encode(texts.join('')) };
}
