import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Table, tableFromArrays, tableFromIPC, tableToIPC, typeToString } from 'recurve/arrow';
import { recurve, tableTexts, temporaryFolder } from './run-command.ts';

const at = temporaryFolder();

async function ok(...argv: string[]): Promise<void> {
  const { code, err } = await recurve(argv);
  assert.equal(code, 0, err);
}

function readArrow(name: string): Table {
  return tableFromIPC(readFileSync(at(name)));
}

function typesOf(table: Table): Record<string, string> {
  return Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, typeToString(type)]));
}

/** Writes the rows of a statement as `name`, and converts it there and back by way of a format. */
async function roundTrip(sql: string, format: string): Promise<{ before: Table; after: Table }> {
  await ok('query', sql, '-o', at('before.arrow'));
  await ok('convert', at('before.arrow'), at(`between.${format}`));
  await ok('convert', at(`between.${format}`), at('after.arrow'));
  return { before: readArrow('before.arrow'), after: readArrow('after.arrow') };
}

/** A value of each type, and a NULL. */
const kept = `
  true as b, 1::tinyint as i8, 2::smallint as i16, -3 as i32, 9223372036854775807 as i64, 255::utinyint as u8,
  65535::usmallint as u16, 4294967295::uinteger as u32, 18446744073709551615::ubigint as u64, 1.5::float as f32,
  0.1::double as f64, 12.34::decimal(10, 2) as dec, 'text'::varchar as t, date '2001-02-03' as d,
  time '01:02:03.456789' as tm, timestamp '2001-02-03 04:05:06.789' as ts,
  '2001-02-03 04:05:06.123456789'::timestamp_ns as ns, '2001-02-03 04:05:06+00'::timestamptz as tz`;
const nested = `[1, null, 3] as l, {'a': 1, 'b': 'x'} as s, [{'a': [0.5]}] as ls, map{'k': 1} as m`;
const withNull = (columns: string): string => `select ${columns} union all by name select null as b`;

describe('a round trip', () => {
  test('by Parquet keeps every type it has, every value and NULL', async () => {
    const more = `${kept}, ${nested}, '\\xAA'::blob as bin, uuid 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' as u, '{}'::json as j`;
    const { before, after } = await roundTrip(withNull(more), 'parquet');
    assert.deepEqual(typesOf(after), typesOf(before));
    assert.deepEqual(tableTexts(after), tableTexts(before));
  });

  test('by Parquet keeps the values of types that it widens', async () => {
    const sql = `select '2001-02-03 04:05:06'::timestamp_s as s, '2001-02-03 04:05:06.5'::timestamp_ms as ms, [1, 2]::int[2] as a, 'x'::enum('x', 'y') as e`;
    const { before, after } = await roundTrip(sql, 'parquet');
    assert.deepEqual(tableTexts(after), tableTexts(before));
    assert.deepEqual(Object.values(typesOf(after)), ['timestamp[us]', 'timestamp[us]', 'list<l: int32>', 'utf8']);
  });

  test('by CSV keeps every value as its text, NULL apart from empty text', async () => {
    const { before, after } = await roundTrip(withNull(`${kept}, ${nested}, '' as e, 'a"b,c\nd\re' as q`), 'csv');
    assert.deepEqual(tableTexts(after), { ...tableTexts(before) });
    const types = typesOf(after);
    const expected = { b: 'bool', i64: 'int64', u64: 'uint64', f64: 'float64', t: 'utf8', d: 'date32[day]' };
    for (const [name, type] of Object.entries(expected)) assert.equal(types[name], type, name);
    assert.deepEqual([types.tm, types.ts, types.ns], ['time64[us]', 'timestamp[us]', 'timestamp[ns]']);
    assert.match(types.tz ?? '', /^timestamp\[us, /);
  });

  test('by JSON lines and JSON keeps every value, and nested ones their structure', async () => {
    for (const format of ['jsonl', 'json']) {
      const { before, after } = await roundTrip(withNull(`${kept}, l, s, ls, '' as e from (select ${nested})`), format);
      assert.deepEqual(tableTexts(after), tableTexts(before));
      const types = typesOf(after);
      assert.equal(types.l, 'list<l: int64>');
      assert.equal(types.s, 'struct<a: int64, b: utf8>');
      assert.equal(types.u64, 'uint64');
    }
  });

  test('of the flights by every format gives the same rows', async () => {
    const flights = join(createRequire(import.meta.url).resolve('vega-datasets'), '../../data/flights-3m.parquet');
    await ok('query', `from '${flights}' limit 20000`, '-o', at('flights.arrow'));
    const expected = tableTexts(readArrow('flights.arrow'));
    for (const format of ['arrows', 'parquet', 'csv', 'jsonl', 'json']) {
      await ok('convert', at('flights.arrow'), at(`flights.${format}`));
      await ok('convert', at(`flights.${format}`), at('flights-back.arrow'));
      const back = readArrow('flights-back.arrow');
      assert.deepEqual(tableTexts(back), expected, format);
      assert.deepEqual(typesOf(back), typesOf(readArrow('flights.arrow')), format);
    }
  });

  test('of any text by CSV and JSON lines keeps each character, NULL and empty text', async () => {
    const texts = fc.array(fc.option(fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, texts, async (a, b) => {
        // A word in each column, so that it stays text.
        const rows = Math.max(a.length, b.length) + 1;
        const pad = (list: (string | null)[]): (string | null)[] =>
          Array.from({ length: rows }, (_, i) => (i === 0 ? 'word' : (list[i - 1] ?? null)));
        const table = tableFromArrays({ a: pad(a), b: pad(b) });
        writeFileSync(at('text.arrow'), tableToIPC(table, { format: 'file' }));
        for (const format of ['csv', 'jsonl']) {
          await ok('convert', at('text.arrow'), at(`text.${format}`));
          await ok('convert', at(`text.${format}`), at('text-back.arrow'));
          assert.deepEqual(tableTexts(readArrow('text-back.arrow')), tableTexts(table), format);
        }
      }),
      { numRuns: 15 },
    );
  });
});

describe('a guess at a type', () => {
  const guess = async (text: string, suffix: string): Promise<Record<string, string>> => {
    writeFileSync(at(`guess.${suffix}`), text);
    await ok('convert', at(`guess.${suffix}`), at('guess.arrow'));
    return typesOf(readArrow('guess.arrow'));
  };

  test('is taken only when it gives back every text of a CSV column', async () => {
    const cells: Record<string, string> = {
      '007': 'utf8',
      '+1': 'utf8',
      '-0': 'float64',
      '9223372036854775808': 'uint64',
      '123456789012345678901234': 'decimal128(38, 0)',
      '0.1': 'float64',
      '0.12345678901234567': 'decimal128(38, 18)',
      '1e400': 'utf8',
      '2001-02-30': 'utf8',
      '01/02/2001': 'utf8',
      '2001-02-03': 'date32[day]',
      '2001-02-03 04:05:06.1234567': 'timestamp[ns]',
      '24:00:00': 'utf8',
      True: 'utf8',
      true: 'bool',
    };
    for (const [cell, type] of Object.entries(cells))
      assert.equal((await guess(`x,y\n${cell},1\n,2\n`, 'csv')).x, type, cell);
  });

  test('looks at all rows, not only at the first', async () => {
    const rows = Array.from({ length: 10_000 }, (_, i) => `${i},,${i}`);
    assert.deepEqual(await guess(`a,b,c\n${rows.join('\n')}\nx,5,0.5\n`, 'csv'), {
      a: 'utf8',
      b: 'int64',
      c: 'float64',
    });
  });

  test('keeps what no type holds as JSON', async () => {
    assert.deepEqual(
      await guess('{"mix":1,"s":"1","a":[1,0.5]}\n{"mix":"t","a":[12345678901234567890123]}\n', 'jsonl'),
      {
        mix: 'utf8',
        s: 'utf8',
        a: 'utf8',
      },
    );
    const { values } = { values: tableTexts(readArrow('guess.arrow')) };
    assert.deepEqual(values, { mix: ['1', '"t"'], s: ['1', null], a: ['[1,0.5]', '[12345678901234567890123]'] });
  });
});

describe('what a format cannot hold is refused with the column named', () => {
  const refuse = async (argv: string[], message: RegExp): Promise<void> => {
    const { code, err } = await recurve(argv);
    assert.equal(code, 1, err);
    assert.match(err, message);
  };

  test('by Parquet: intervals, unions, also inside of other types, and names that differ in case only', async () => {
    const columns: [sql: string, message: RegExp][] = [
      [`interval '1 month' as i`, /column "i" is interval/],
      [`union_value(a := 1) as u`, /column "u" is sparse_union/],
      [`[interval '1 month'] as l`, /column "l"\."l" is interval/],
    ];
    for (const [sql, message] of columns) {
      await ok('query', `select ${sql}`, '-o', at('refused.arrow'));
      await refuse(['convert', at('refused.arrow'), at('refused.parquet')], message);
    }
    writeFileSync(at('case.arrow'), tableToIPC(tableFromArrays({ a: [1], A: [2] }), { format: 'file' }));
    await refuse(['convert', at('case.arrow'), at('case.parquet')], /columns "A" and "a" are one name/);
  });

  test('by the JSON reader: numbers that a double would round, and keys that differ in case only', async () => {
    writeFileSync(at('long.jsonl'), '{"s":"0.12345678901234567890","x":{"y":[0.12345678901234567890]}}\n');
    await refuse(
      ['convert', at('long.jsonl'), at('long.arrow')],
      /column "y": a double cannot hold the number 0\.1234/,
    );
    writeFileSync(at('keys.jsonl'), '{"a":1,"A":2}\n');
    await refuse(['convert', at('keys.jsonl'), at('keys.arrow')], /keys "(a|A)" and "(a|A)" are one name/);
  });

  test('by CSV: lines of another number of cells, with the line', async () => {
    writeFileSync(at('ragged.csv'), 'a,b\n1,2\n3\n');
    await refuse(['convert', at('ragged.csv'), at('ragged.arrow')], /ragged\.csv": the file is no CSV/);
    const rows = Array.from({ length: 300_000 }, (_, i) => `${i},x`);
    writeFileSync(at('late.csv'), `a,b\n${rows.join('\n')}\n3\n`);
    await refuse(['convert', at('late.csv'), at('late.arrow')], /late\.csv": .*300002/);
  });
});

test('recurve query refuses what convert refuses to write as Parquet, and leaves no file', async () => {
  const out = at('refused.parquet');
  for (const [sql, column] of [
    ['select interval 1 day as span', '"span"'],
    ["select 1 as a, {'b': interval 1 day} as nest", '"nest"."b"'],
    ['select 1 as a, 2 as "A"', '"A" and "a"'],
  ] as const) {
    const { code, err } = await recurve(['query', sql, '-o', out]);
    assert.equal(code, 1, err);
    assert.ok(err.startsWith('error[NOT_IMPLEMENTED]') && err.includes(column), err);
    assert.ok(!existsSync(out));
    const piped = await recurve(['query', sql, '-f', 'parquet']);
    assert.deepEqual([piped.code, piped.out], [1, '']);
  }
});
