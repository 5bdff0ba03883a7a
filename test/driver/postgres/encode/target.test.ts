import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import type pg from 'pg';
import {
  batchFromArrays,
  binary,
  bool,
  type DataType,
  date32,
  decimal128,
  extensionField,
  Field,
  fixedSizeBinary,
  fixedSizeList,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  list,
  map,
  Schema,
  struct,
  Table,
  timestamp,
  uint32,
  uint64,
  union,
  utf8,
} from 'recurve/arrow';
import type { TargetType } from '../../../../src/driver/postgres/encode/target.ts';
import { testServer, withoutPostgres } from '../server.ts';
import { builtin, connectPlain, copiedTexts, encodeCopy, numericOf } from './copy.ts';
import { oneColumn } from './one-column.ts';

function base(name: string, text = name, typmod = -1): TargetType {
  return { oid: 0, name, kind: 'base', typmod, text };
}

const pair: TargetType = {
  oid: 0,
  name: 'pair',
  kind: 'composite',
  typmod: -1,
  text: 'pair',
  members: [
    { name: 'a', type: builtin('int8') },
    { name: 'b', type: builtin('text') },
    { name: 'c', type: builtin('numeric') },
  ],
};
const mood: TargetType = { oid: 0, name: 'mood', kind: 'enum', typmod: -1, text: 'mood' };
const positive: TargetType = {
  oid: 0,
  name: 'positive',
  kind: 'domain',
  typmod: -1,
  text: 'positive',
  element: builtin('int2'),
};

const taken: readonly [DataType | Field, TargetType, readonly unknown[], readonly (string | null)[]][] = [
  [int64(), builtin('int2'), [-32768n, 32767n], ['-32768', '32767']],
  [int64(), builtin('int4'), [-2147483648n, 2147483647n], ['-2147483648', '2147483647']],
  [uint32(), builtin('int4'), [0, 2147483647], ['0', '2147483647']],
  [uint64(), builtin('int8'), [2n ** 63n - 1n], ['9223372036854775807']],
  [int8(), builtin('int8'), [-1, 1], ['-1', '1']],
  [int16(), builtin('int4'), [-1, 1], ['-1', '1']],
  [uint32(), base('oid'), [4294967295], ['4294967295']],
  [int64(), base('oid'), [4294967295n], ['4294967295']],
  [int16(), builtin('float4'), [-32768], ['-32768']],
  [int32(), builtin('float8'), [2147483647], ['2147483647']],
  [int64(), builtin('float8'), [-(2n ** 53n) + 1n], ['-9.007199254740991e+15']],
  [float64(), builtin('float4'), [0.5, Number.NaN, Number.NEGATIVE_INFINITY], ['0.5', 'NaN', '-Infinity']],
  [int64(), builtin('numeric'), [-(2n ** 63n), 10n, 10_000n], ['-9223372036854775808', '10', '10000']],
  [int32(), numericOf(12, 2), [-5], ['-5.00']],
  [
    float64(),
    builtin('numeric'),
    [0.1, -1.5e-7, 1e21, 123456789.123, 5e-324, Number.NaN, Number.POSITIVE_INFINITY],
    ['0.1', '-0.00000015', `1${'0'.repeat(21)}`, '123456789.123', `0.${'0'.repeat(323)}5`, 'NaN', 'Infinity'],
  ],
  [
    new Field('c', utf8(), { metadata: { 'POSTGRESQL:type': 'numeric' } }),
    builtin('numeric'),
    ['-1e-7', '+.5', '5.', '00012000.3400', '9'.repeat(300), '0e5', 'NaN', '-Infinity'],
    ['-0.0000001', '0.5', '5', '12000.3400', '9'.repeat(300), '0', 'NaN', '-Infinity'],
  ],
  [float32(), builtin('numeric'), [0.1, 16777216], ['0.1', '16777216']],
  [float64(), numericOf(12, 2), [1.25, -3], ['1.25', '-3.00']],
  [decimal128(20, 5), numericOf(12, 2), ['1.25', '-3', '1200.5'], ['1.25', '-3.00', '1200.50']],
  [decimal128(4, 0), base('numeric', 'numeric(5,-2)', ((5 << 16) | (-2 & 0x7ff)) + 4), ['1200'], ['1200']],
  [utf8(), base('varchar', 'varchar(3)', 7), ['abc'], ['abc']],
  [utf8(), base('bpchar', 'char(3)', 7), ['a'], ['a']],
  [utf8(), base('name'), ['a'], ['a']],
  [utf8(), base('xml'), ['<a/>'], ['<a/>']],
  [utf8(), builtin('json'), ['{"b":1, "b":2}'], ['{"b":1, "b":2}']],
  [utf8(), builtin('jsonb'), ['{"b":1, "b":2}'], ['{"b": 2}']],
  [extensionField('c', utf8(), { name: 'arrow.json', metadata: '' }), builtin('jsonb'), ['[1]'], ['[1]']],
  [list(int32()), builtin('jsonb'), [[1, 2]], ['[1, 2]']],
  [utf8(), mood, ['sad', null, 'happy'], ['sad', null, 'happy']],
  [
    utf8(),
    builtin('uuid'),
    ['A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{a0eebc999c0b4ef8bb6d6bb9bd380a11}'],
    ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
  ],
  [fixedSizeBinary(16), builtin('uuid'), [new Uint8Array(16)], ['00000000-0000-0000-0000-000000000000']],
  [timestamp('ms'), builtin('timestamptz'), [0n], ['1970-01-01 00:00:00+00']],
  [timestamp('ms', 'Asia/Tokyo'), builtin('timestamp'), [0n], ['1970-01-01 00:00:00']],
  [date32(), builtin('timestamp'), [-1, 20_000], ['1969-12-31 00:00:00', '2024-10-04 00:00:00']],
  [int64(), positive, [5n], ['5']],
  [
    struct({ b: utf8(), a: int32() }),
    pair,
    [{ a: 1, b: 'x, y' }, null, { a: null, b: null }],
    ['(1,"x, y",)', null, '(,,)'],
  ],
];

describe('columns of other types take what they hold exactly', { skip: withoutPostgres }, () => {
  let client: pg.Client;
  const oids = new Map<string, number>();
  before(async () => {
    client = await connectPlain((await testServer()).uri);
    await client.query(`CREATE TYPE pg_temp.pair AS (a int8, b text, c numeric);
      CREATE TYPE pg_temp.mood AS ENUM ('sad', 'happy');
      CREATE DOMAIN pg_temp.positive AS int2 CHECK (value > 0)`);
    const { rows } = await client.query(`SELECT typname, oid FROM pg_type WHERE typname IN ('_pair', 'pair')`);
    for (const { typname, oid } of rows) oids.set(typname, oid);
  });
  after(() => client.end());

  const local = (target: TargetType): TargetType =>
    ['pair', 'mood', 'positive'].includes(target.name) ? { ...target, text: `pg_temp.${target.name}` } : target;

  for (const [type, target, values, texts] of taken) {
    const field = type instanceof Field ? type : new Field('c', type);
    test(`${field} into ${target.text}`, async () => {
      const got = await copiedTexts(client, oneColumn(field, [null, ...values]), [local(target)]);
      assert.deepEqual(
        got.map(([text]) => text),
        [null, ...texts],
      );
    });
  }

  test('an array of a composite type', async () => {
    const element = { ...local(pair), oid: oids.get('pair') ?? 0 };
    const target: TargetType = { ...element, kind: 'array', name: '_pair', text: 'pg_temp.pair[]', element };
    const field = new Field('c', list(struct({ a: int32(), b: utf8() })));
    const got = await copiedTexts(client, oneColumn(field, [[{ a: 1, b: 'x' }, null], []]), [target]);
    assert.deepEqual(got, [['{"(1,x,)",NULL}'], ['{}']]);
  });

  test('what the server checks is its own error', async () => {
    const cases: [TargetType, DataType, unknown, string][] = [
      [base('varchar', 'varchar(3)', 7), utf8(), 'abcd', '22001'],
      [mood, utf8(), 'angry', '22P02'],
      [positive, int32(), -1, '23514'],
      [builtin('text'), utf8(), 'a\0b', '22021'],
      [builtin('json'), utf8(), '{', '22P02'],
      [numericOf(4, 2), decimal128(10, 2), '100', '22003'],
    ];
    for (const [target, type, value, code] of cases) {
      const table = oneColumn(new Field('c', type), [value]);
      await assert.rejects(copiedTexts(client, table, [local(target)]), { code });
    }
    // The connection is whole.
    assert.equal((await client.query('SELECT 1 AS one')).rows[0].one, 1);
  });
});

describe('a value that would be changed is an error that names column and row', () => {
  const cases: readonly [DataType, TargetType, readonly unknown[], RegExp][] = [
    [int64(), builtin('int4'), [1n, 2147483648n], /^column "c", row 2: 2147483648 is outside of the range of int4$/],
    [int32(), builtin('int2'), [-32769], /row 1: -32769 is outside of the range of int2/],
    [uint64(), builtin('int8'), [2n ** 63n], /row 1: 9223372036854775808 is outside of the range of int8/],
    [uint32(), builtin('int4'), [2147483648], /2147483648 is outside/],
    [int32(), base('oid'), [-1], /-1 is outside of the range of oid/],
    [int64(), base('oid'), [4294967296n], /4294967296 is outside of the range of oid/],
    [int64(), base('xid8'), [-1n], /-1 is outside of the range of xid8/],
    [int64(), builtin('float8'), [2n ** 53n + 1n], /more digits than a float8 keeps/],
    [int32(), builtin('float4'), [16777217], /16777217 has more digits than a float4 keeps/],
    [int64(), builtin('float4'), [2n ** 60n + 1n], /more digits than a float4 keeps/],
    [float64(), builtin('float4'), [0.1], /0.1 has more digits than a float4 keeps/],
    [decimal128(10, 3), numericOf(10, 2), ['1.230', '1.234'], /row 2: .* 3 digits .* the 2 of the column/],
    [decimal128(10, 5), numericOf(10, 0), ['0.00001'], /5 digits/],
    [float64(), numericOf(10, 2), [0.125], /3 digits/],
    [int32(), base('numeric', 'numeric(5,-2)', ((5 << 16) | (-2 & 0x7ff)) + 4), [120], /-1 digits .* the -2 of/],
    [timestamp('ns'), builtin('timestamp'), [0n, 1n], /row 2: 1 ns is finer than the microseconds of timestamp/],
    [utf8(), base('char', '"char"'), ['a', 'ab'], /row 2: "ab" is not the one byte/],
    [utf8(), base('char', '"char"'), ['é'], /is not the one byte/],
    [utf8(), builtin('uuid'), ['a0eebc99'], /"a0eebc99" is no uuid/],
    [list(list(int32())), arrayOfInt4(), [[[1, 2], [3]]], /row 1: nested lists of 2 and of 1 values/],
    [list(list(int32())), arrayOfInt4(), [[], [[], []]], /row 2: a list of empty lists/],
    [list(list(int32())), arrayOfInt4(), [[[1]], [[1], null]], /row 2: a null among nested lists/],
    [list(int64()), arrayOfInt4(), [[], [1n], [2n, 2n ** 40n]], /row 3: 1099511627776 is outside/],
    [
      struct({ a: int64() }),
      { ...pair, members: [{ name: 'a', type: builtin('int2') }] },
      [null, { a: 1n }, null, { a: 70_000n }],
      /row 4: 70000 is outside/,
    ],
  ];
  for (const [type, target, values, message] of cases) {
    test(`${new Field('c', type)} into ${target.text}: ${message.source}`, () => {
      const { schema, batches } = oneColumn(new Field('c', type), values);
      assert.throws(() => encodeCopy(schema, batches, [target]), { status: 'INVALID_DATA', message });
    });
  }

  test('rows are counted over batches and blocks', () => {
    const schema = new Schema([new Field('c', int32())]);
    const first = batchFromArrays(schema, [new Int32Array(5000)]);
    const second = batchFromArrays(schema, [Int32Array.from({ length: 5000 }, (_, i) => (i === 2500 ? 40_000 : 0))]);
    assert.throws(() => encodeCopy(schema, [first, second], [builtin('int2')], 1 << 20), {
      message: 'column "c", row 7501: 40000 is outside of the range of int2',
    });
  });

  test('columns that do not take a type say both', () => {
    const cases: [DataType, TargetType][] = [
      [utf8(), builtin('int4')],
      [utf8(), builtin('date')],
      [utf8(), builtin('bytea')],
      [binary(), builtin('text')],
      [bool(), builtin('int4')],
      [float64(), builtin('int8')],
      [timestamp('us'), builtin('date')],
      [map(utf8(), utf8()), builtin('text')],
      [struct({ z: int32() }), pair],
      [list(utf8()), arrayOfInt4()],
      [int32(), arrayOfInt4()],
      [fixedSizeList(int32(), 2), builtin('int4')],
      [union('dense', [new Field('a', int32())]), builtin('jsonb')],
    ];
    for (const [type, target] of cases) {
      const { schema } = new Table(new Schema([new Field('c', type)]), []);
      assert.throws(() => encodeCopy(schema, [], [target]), {
        status: 'INVALID_ARGUMENT',
        message: new RegExp(`^column "c" is .*, which ${target.text.replace(/[[\]()]/g, '\\$&')} does not take$`),
      });
    }
  });
});

function arrayOfInt4(): TargetType {
  return { oid: 1007, name: '_int4', kind: 'array', typmod: -1, text: 'integer[]', element: builtin('int4') };
}
