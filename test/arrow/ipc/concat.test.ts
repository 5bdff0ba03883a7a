import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Column, Field, makeBuilder } from 'recurve/arrow';
import { concatColumns } from '../../../src/arrow/ipc/concat-nested.ts';
import { columnValues } from './column-value.ts';
import { int32, utf8 } from './example.ts';

const fields = [
  new Field('text', utf8),
  new Field('bool', { kind: 'bool' }),
  new Field('int', int32),
  new Field('list', { kind: 'list', child: new Field('item', utf8), large: true }),
];

/** The `i`-th value of a column; every third is null. */
function valueAt({ name }: Field, i: number): unknown {
  if (i % 3 === 2) return null;
  return name === 'text' ? `${i}` : name === 'bool' ? i % 2 === 0 : name === 'int' ? i : [`${i}`, null];
}

function columnOf(field: Field, from: number, to: number): Column {
  const builder = makeBuilder(field);
  for (let i = from; i < to; i++) builder.append(valueAt(field, i));
  return builder.finish();
}

describe('columns that are joined', () => {
  for (const field of fields) {
    it(`of ${field} may grow in two directions, neither of which sees the other`, () => {
      const base = concatColumns(field, [columnOf(field, 0, 11), columnOf(field, 11, 13)]);
      const one = concatColumns(field, [base, columnOf(field, 13, 16)]);
      const other = concatColumns(field, [base, columnOf(field, 20, 24)]);
      const longer = concatColumns(field, [one, columnOf(field, 16, 18)]);
      const values = (column: Column): unknown[] => columnValues(column);
      const expected = (...indices: number[]): unknown[] => values(columnOfEach(field, indices));
      const first = Array.from({ length: 13 }, (_, i) => i);
      assert.deepEqual(values(base), expected(...first));
      assert.deepEqual(values(one), expected(...first, 13, 14, 15));
      assert.deepEqual(values(other), expected(...first, 20, 21, 22, 23));
      assert.deepEqual(values(longer), expected(...first, 13, 14, 15, 16, 17));
    });
  }

  it('of slices that begin anywhere keep their values, and those of the columns that they were cut from', () => {
    for (const field of fields) {
      const whole = concatColumns(field, [columnOf(field, 0, 20), columnOf(field, 20, 21)]);
      const joined = concatColumns(field, [whole.slice(3, 21), columnOf(field, 30, 32)]);
      const inside = concatColumns(field, [whole.slice(3, 9), columnOf(field, 40, 42)]);
      const range = (start: number, end: number): number[] => Array.from({ length: end - start }, (_, i) => start + i);
      const expected = (indices: number[]): unknown[] => columnValues(columnOfEach(field, indices));
      assert.deepEqual(columnValues(joined), expected([...range(3, 21), 30, 31]));
      assert.deepEqual(columnValues(inside), expected([...range(3, 9), 40, 41]));
      assert.deepEqual(columnValues(whole), expected(range(0, 21)));
    }
  });
});

function columnOfEach(field: Field, indices: readonly number[]): Column {
  const builder = makeBuilder(field);
  for (const i of indices) builder.append(valueAt(field, i));
  return builder.finish();
}
