import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as a from 'recurve/arrow';
import { type DataType, Field, type FieldOptions, makeBuilder, RecurveError } from 'recurve/arrow';
import { accepted, refused } from './builder-case.ts';

function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value) && !(value instanceof Uint8Array))
    return Array.from(value as unknown as Iterable<unknown>);
  return value;
}

function builderOf(type: DataType, options?: FieldOptions): a.Builder {
  return makeBuilder(new Field('c', type, options));
}

describe('builder', () => {
  for (const [type, pairs] of accepted) {
    it(`${a.typeToString(type)} takes its values, nulls among them, and starts anew`, () => {
      const builder = builderOf(type);
      for (let round = 0; round < 2; round++) {
        const expected: unknown[] = [];
        for (let i = 0; i < 40; i++) {
          for (const [put, got] of pairs) {
            builder.append(put);
            expected.push(got);
          }
          builder.append(i % 2 === 0 ? null : undefined);
          expected.push(null);
          assert.equal(builder.length, expected.length);
        }
        const column = builder.finish();
        assert.equal(column.length, expected.length);
        assert.deepEqual(
          Array.from({ length: column.length }, (_, i) => plain(column.at(i))),
          expected,
        );
        assert.equal(builder.length, 0);
      }
      assert.equal(builder.finish().length, 0);
    });

    it(`${a.typeToString(type)} without nulls has no validity bitmap`, () => {
      const builder = builderOf(type);
      const whole = pairs.filter(([, got]) => got !== null);
      for (const [put] of whole) builder.append(put);
      const column = builder.finish();
      assert.equal(column.layout.validity ?? null, null);
      assert.deepEqual(
        [...column].map(plain),
        whole.map(([, got]) => got),
      );
    });
  }

  for (const [type, values] of refused) {
    it(`${a.typeToString(type)} refuses others by column, row and value, and is as it was`, () => {
      const [, pairs] = accepted.find(([other]) => other.kind === type.kind) ?? [];
      const builder = builderOf(type);
      builder.append(null);
      for (const value of values) {
        assert.throws(
          () => builder.append(value),
          (error) =>
            RecurveError.is(error) &&
            error.status === 'INVALID_DATA' &&
            /^column "c[^"]*", row 1: \S+/.test(error.message),
          `${String(value)} is taken`,
        );
        assert.equal(builder.length, 1);
      }
      builder.append(null);
      assert.ok(pairs);
      assert.deepEqual([...builder.finish()], [null, null]);
    });
  }

  it('a refused item leaves the lists around it whole', () => {
    const builder = builderOf(a.list(a.struct({ x: a.list(a.int32()), y: a.utf8() })));
    builder.append([{ x: [1, 2], y: 'a' }]);
    assert.throws(
      () =>
        builder.append([
          { x: [3], y: 'b' },
          { x: [4, 'no'], y: 'c' },
        ]),
      /column "c.item.x.item", row 1: "no"/,
    );
    assert.throws(() => builder.append([{ x: [3], y: 5 }]), /column "c.item.y", row 1: 5/);
    builder.append([{ x: [5], y: 'd' }]);
    assert.deepEqual(
      JSON.stringify([...builder.finish()].map(plain), (_, v) => plain(v)),
      '[[{"x":[1,2],"y":"a"}],[{"x":[5],"y":"d"}]]',
    );
  });

  it('a null is refused where the field is not nullable, in children too', () => {
    const notNull = { nullable: false };
    assert.throws(
      () => builderOf(a.int32(), notNull).append(null),
      /column "c", row 0: null in a column that is not nullable/,
    );
    const nested = builderOf(a.struct([new Field('x', a.utf8(), notNull)]));
    assert.throws(() => nested.append({}), /column "c.x", row 0: null/);
    nested.append(null);
    nested.append({ x: 'a' });
    const column = nested.finish();
    assert.deepEqual([...column], [null, { x: 'a' }]);
    assert.equal(column.layout.children?.[0]?.nullCount, 0);
    const union = builderOf(a.union('sparse', [new Field('n', a.int32(), notNull)]));
    assert.throws(() => union.append(null), /row 0: null has no child/);
  });

  it('a dictionary holds each value once, refuses more than its index type counts, and skips without a value', () => {
    const builder = builderOf(a.dictionary(a.int32(), a.int8()));
    for (let i = 0; i < 256; i++) builder.append(i % 128);
    assert.throws(() => builder.append(128), /row 256: 128 is one value more/);
    const { dictionary } = builder.finish().layout;
    assert.equal(dictionary?.length, 128);
    const fixed = builderOf(a.fixedSizeList(new Field('d', a.dictionary(a.utf8()), { nullable: false }), 2));
    fixed.append(null);
    fixed.append(['a', 'b']);
    assert.deepEqual([...fixed.finish()].map(plain), [null, ['a', 'b']]);
  });

  it('a uuid is taken as text or bytes', () => {
    const builder = makeBuilder(a.uuidField('u'));
    const text = '0004080c-1014-181c-2024-282c3034383c';
    builder.append(text.toUpperCase());
    builder.append(text.replaceAll('-', ''));
    builder.append(Uint8Array.from({ length: 16 }, (_, i) => i * 4));
    for (const bad of [text.slice(1), `${text}0`, text.replace('-', ''), 'g'.repeat(32)])
      assert.throws(() => builder.append(bad), /column "u", row 3/);
    assert.deepEqual([...builder.finish()], [text, text, text]);
  });

  it('says how many bytes its values take', () => {
    const text = builderOf(a.utf8());
    text.append('abc');
    text.append('é');
    assert.equal(text.byteLength, 3 * 4 + 5);
    text.append(null);
    assert.equal(text.byteLength, 4 * 4 + 5 + 1);
    const list = builderOf(a.list(a.int64()));
    list.append([1, 2, 3]);
    assert.equal(list.byteLength, 2 * 4 + 3 * 8);
    const bool = builderOf(a.bool());
    for (let i = 0; i < 9; i++) bool.append(true);
    assert.equal(bool.byteLength, 2);
  });

  it('leaves no bit set behind the last value of a bitmap', () => {
    for (const type of [a.bool(), a.int32()]) {
      const builder = builderOf(a.list(type));
      builder.append([null, null]);
      assert.throws(() => builder.append([...Array(13).fill(type.kind === 'bool' ? true : 1), 'x']));
      builder.append([null]);
      const child = builder.finish().layout.children?.[0];
      assert.deepEqual([child?.length, child?.validity], [3, Uint8Array.of(0)]);
      if (type.kind === 'bool') assert.deepEqual(child?.layout.values, Uint8Array.of(0));
    }
  });
});
