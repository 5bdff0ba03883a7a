import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { binary, decimal128, Field, float32, int64, Schema, timestamp, utf8 } from 'recurve/arrow';
import { override, parseCase, splitStatements } from './case.ts';
import { parseRows, sortRows } from './row.ts';
import { differenceOf, parseSchema } from './schema.ts';

const text = `// a licence
// part: metadata
# a comment
sort-keys = [["v", "ascending"]]
[setup]
drop = "t"
// part: query ---
SELECT 1
// dropped
-- kept
`;

describe('a validation case', () => {
  test('is read part by part, without comments, its metadata by table', () => {
    const one = parseCase('type/select/x', text);
    assert.deepEqual(one, {
      name: 'type/select/x',
      kind: 'select',
      metadata: { 'sort-keys': [['v', 'ascending']], 'setup.drop': 't' },
      parts: { query: 'SELECT 1\n-- kept\n' },
    });
    const other = parseCase('type/select/x', '// part: metadata\n[setup]\ndrop = "u"\n// part: expected\n{}\n');
    const merged = override(one, other);
    assert.equal(merged.metadata['setup.drop'], 'u');
    assert.deepEqual(merged.parts, { query: 'SELECT 1\n-- kept\n', expected: '{}\n' });
  });

  test('is refused where the format does not allow it', () => {
    assert.throws(() => parseCase('ingest/x', 'text\n// part: query\n'), /line 1: text before the first part/);
    assert.throws(() => parseCase('ingest/x', '// part: query\n// part: query\n'), /query comes twice/);
    assert.throws(() => parseCase('ingest/x', '// part: metadata\n[a b]\n'), /not understood/);
    assert.throws(() => parseCase('other/x', ''), /no kind/);
  });

  test('has statements that end where a line ends in a semicolon', () => {
    assert.deepEqual(splitStatements("CREATE TABLE t (\n a INT);\nINSERT INTO t VALUES ('a;b'); -- why\nSELECT 1\n"), [
      'CREATE TABLE t (\n a INT);',
      "INSERT INTO t VALUES ('a;b'); -- why",
      'SELECT 1',
    ]);
  });

  test('has rows that keep every digit, and nulls for keys that are absent', () => {
    const schema = new Schema([
      new Field('n', int64()),
      new Field('d', decimal128(5, 2)),
      new Field('b', binary()),
      new Field('f', float32()),
      new Field('s', utf8()),
    ]);
    const rows = parseRows(
      '{"n": -9223372036854775808, "d": "1.5", "b": "AQI=", "f": 3.14, "s": "#1 \\"2\\""}\n{"f": "-Inf"}\n',
      schema,
    );
    assert.deepEqual(rows, [
      { n: -(2n ** 63n), d: '1.50', b: Uint8Array.of(1, 2), f: Math.fround(3.14), s: '#1 "2"' },
      { n: null, d: null, b: null, f: Number.NEGATIVE_INFINITY, s: null },
    ]);
    assert.throws(() => parseRows('{"x": 1}', schema), /no column: x/);
    assert.throws(() => parseRows('{"n": 1.5}', schema), /no value/);
  });

  test('sorts its rows with nulls last in either order', () => {
    const rows = [{ v: null }, { v: 2n }, { v: 1n }];
    assert.deepEqual(sortRows(rows, [['v', 'ascending']]), [{ v: 1n }, { v: 2n }, { v: null }]);
    assert.deepEqual(sortRows(rows, [['v', 'descending']]), [{ v: 2n }, { v: 1n }, { v: null }]);
  });

  test('compares schemas by names, types and extensions, not by nullability at the top', () => {
    const schema = parseSchema('{"format": "+s", "children": [{"name": "t", "format": "tsm:UTC", "flags": []}]}');
    assert.deepEqual(schema.field(0).type, timestamp('ms', 'UTC'));
    const actual = (field: Field): string | undefined => differenceOf(new Schema([field]), schema);
    assert.equal(actual(new Field('t', timestamp('ms', 'UTC'), { metadata: { more: 'x' } })), undefined);
    assert.match(
      actual(new Field('t', timestamp('us', 'UTC'))) ?? '',
      /timestamp\[us, UTC\], expected timestamp\[ms, UTC\]/,
    );
    assert.match(actual(new Field('u', timestamp('ms', 'UTC'))) ?? '', /columns/);
    const extended = new Field('t', timestamp('ms', 'UTC'), { metadata: { 'ARROW:extension:name': 'x' } });
    assert.match(actual(extended) ?? '', /extension:name x/);
    assert.throws(() => parseSchema('{"format": "+s", "children": [{"name": "v", "format": "vu"}]}'), /"vu"/);
  });
});
