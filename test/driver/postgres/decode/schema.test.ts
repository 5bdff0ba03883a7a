import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  extensionOf,
  type Field,
  field,
  list,
  schemaOf,
  timestamp,
  typeToString,
  utf8,
  uuidField,
} from 'recurve/arrow';
import { builtinTypes } from '../../../../src/driver/postgres/decode/builtin.ts';
import { readColumns } from '../../../../src/driver/postgres/decode/column-input.ts';
import { type DecodeOptions, parseDecodeOptions } from '../../../../src/driver/postgres/decode/option.ts';
import { missingTypes, needsText, readSchema } from '../../../../src/driver/postgres/decode/schema.ts';
import type { PgColumn, PgType, PgTypes } from '../../../../src/driver/postgres/decode/type.ts';
import { parseType, typeText } from '../../../../src/driver/postgres/decode/type-text.ts';

const own: readonly PgType[] = [
  { oid: 20_001, name: 'mood', schema: 'public', kind: 'enum', hasBinary: true, labels: ['sad', 'ok'] },
  {
    oid: 20_002,
    name: 'price',
    schema: 'public',
    kind: 'domain',
    hasBinary: true,
    element: 1700,
    typmod: (12 << 16) + 2 + 4,
  },
  {
    oid: 20_003,
    name: 'Item',
    schema: 'my shop',
    kind: 'composite',
    hasBinary: true,
    attributes: [
      { name: 'id', oid: 23, typmod: -1 },
      { name: 'price', oid: 20_002, typmod: -1 },
      { name: 'grid', oid: 1007, typmod: -1, dimensions: 2 },
    ],
  },
  { oid: 20_004, name: 'hstore', schema: 'public', kind: 'base', hasBinary: true },
  { oid: 20_005, name: 'vector', schema: 'public', kind: 'base', hasBinary: true },
  { oid: 20_006, name: 'cube', schema: 'public', kind: 'base', hasBinary: true },
  { oid: 20_007, name: '_cube', schema: 'public', kind: 'array', hasBinary: true, element: 20_006 },
  { oid: 20_008, name: '_mood', schema: 'public', kind: 'array', hasBinary: true, element: 20_001 },
];
const types: PgTypes = { get: (oid) => own.find((type) => type.oid === oid) ?? builtinTypes.get(oid) };
const find = (name: string): PgType | undefined => own.find((type) => type.name === name);

function column(type: string, format: 0 | 1 = 1): PgColumn {
  return { name: 'a', ...parseType(type, find), format };
}

function shown(one: Field | undefined): string {
  assert.ok(one);
  const extension = extensionOf(one);
  const opaque =
    extension === undefined ? '' : `${extension.name}${extension.metadata === '' ? '' : ` ${extension.metadata}`} `;
  return opaque + typeToString(one.type);
}

const opaque = (name: string, storage = 'utf8'): string =>
  `arrow.opaque {"type_name":"${name}","vendor_name":"PostgreSQL"} ${storage}`;

describe('the Arrow type of a PostgreSQL type', () => {
  const cases: readonly [type: string, arrow: string, options?: DecodeOptions][] = [
    ['bool', 'bool'],
    ['numeric(12,2)', 'decimal128(12, 2)'],
    ['numeric(38)', 'decimal128(38, 0)'],
    ['numeric(39,1)', 'decimal256(39, 1)'],
    ['numeric(5,-2)', 'decimal128(5, -2)'],
    ['numeric(2,5)', 'decimal128(2, 5)'],
    ['numeric(77,1)', 'utf8'],
    ['numeric', 'utf8'],
    ['numeric', 'float64', { numeric: 'double' }],
    ['numeric', 'decimal256(50, 10)', { numeric: { precision: 50, scale: 10 } }],
    ['numeric(12,2)', 'decimal128(12, 2)', { numeric: 'double' }],
    ['money', 'int64'],
    ['money', 'decimal128(19, 2)', { moneyScale: 2 }],
    ['timestamptz(3)', 'timestamp[us, UTC]'],
    ['json', 'arrow.json utf8'],
    ['jsonb', 'arrow.json utf8'],
    ['uuid', 'arrow.uuid fixed_size_binary[16]'],
    ['inet', opaque('inet')],
    ['xml', opaque('xml')],
    ['oid', 'uint32'],
    ['int4[]', 'list<item: int32>'],
    ['int4[][][]', 'list<item: list<item: list<item: int32>>>'],
    ['numeric(5,1)[]', 'list<item: decimal128(5, 1)>'],
    ['mood', 'dictionary<utf8, int32>'],
    ['price', 'decimal128(12, 2)'],
    ['Item', 'struct<id: int32, price: decimal128(12, 2), grid: list<item: list<item: int32>>>'],
    ['hstore', 'map<key: utf8 not null, value: utf8>'],
    ['vector(3)', 'fixed_size_list<item: float32>[3]'],
    ['vector', 'list<item: float32>'],
    ['cube', opaque('cube', 'binary')],
  ];
  for (const [type, arrow, options] of cases) {
    it(`${type}${options === undefined ? '' : ` with ${JSON.stringify(options)}`} is ${arrow}`, () => {
      const text = shown(readSchema([column(type)], types, options).fields[0]);
      assert.equal(
        text.replace(/^dictionary.*$/, (found) => (found.includes('utf8') ? 'dictionary<utf8, int32>' : found)),
        arrow,
      );
    });
  }

  it('is text for a column in text, of which the field tells the type', () => {
    assert.equal(shown(readSchema([column('cube', 0)], types).fields[0]), opaque('cube'));
    assert.equal(shown(readSchema([column('varchar(3)', 0)], types).fields[0]), 'utf8');
  });

  it('is told by the metadata, as SQL writes it', () => {
    for (const type of ['numeric(12,2)', 'varchar(10)', 'int4[][]', 'timestamptz(3)', 'bit(5)', '"char"']) {
      assert.equal(readSchema([column(type)], types).fields[0]?.metadata.get('POSTGRESQL:type'), type);
    }
    assert.equal(readSchema([column('Item')], types).fields[0]?.metadata.get('POSTGRESQL:type'), '"my shop"."Item"');
    assert.equal(readSchema([column('price')], types).fields[0]?.metadata.get('POSTGRESQL:type'), 'public.price');
  });

  it('of an unknown OID is NOT_FOUND, naming the column', () => {
    const unknown = { name: 'x', oid: 99_999, typmod: -1, format: 1 } as const;
    assert.throws(() => readSchema([unknown], types), { status: 'NOT_FOUND', message: /"x".*OID 99999/ });
    assert.deepEqual(missingTypes([unknown, column('Item')], types), [99_999]);
    assert.deepEqual(
      missingTypes([{ ...unknown, oid: 20_003 }], { get: (oid) => (oid === 20_003 ? types.get(oid) : undefined) }),
      [23, 20_002, 1007],
    );
  });
});

describe('a column is asked for as text', () => {
  it('when its type, or one inside of it, has no binary form or none that is known', () => {
    for (const type of ['aclitem', 'aclitem[]', 'record', 'cube', 'anyarray'])
      assert.ok(needsText(column(type), types), type);
    assert.ok(needsText({ ...column('cube'), oid: 20_007 }, types));
    for (const type of ['int4', 'int4[]', 'Item', 'mood', 'hstore', 'inet'])
      assert.ok(!needsText(column(type), types), type);
  });

  it('when it holds arrays and the options want them so', () => {
    assert.ok(needsText(column('int4[]'), types, { arrays: 'text' }));
    assert.ok(needsText(column('Item'), types, { arrays: 'text' }));
    assert.ok(!needsText(column('int4'), types, { arrays: 'text' }));
  });
});

describe('the text of a type', () => {
  it('is read by SQL’s names and by those of the catalog', () => {
    const same: readonly [string, string][] = [
      ['bigint', 'int8'],
      ['DOUBLE PRECISION', 'float8'],
      ['character varying(10)', 'varchar(10)'],
      ['char', 'bpchar(1)'],
      ['timestamp(3) with time zone', 'timestamptz(3)'],
      ['time without time zone', 'time'],
      ['decimal( 10 , 2 )', 'numeric(10,2)'],
      ['integer[3][3]', 'int4[][]'],
      ['bit varying(4)', 'varbit(4)'],
      ['_int4', 'int4[]'],
      ['numeric(3,-5)', 'numeric(3,-5)'],
    ];
    for (const [written, name] of same) {
      const { oid, typmod, dimensions } = parseType(written, find);
      const type = types.get(oid);
      assert.ok(type);
      assert.equal(typeText(type, typmod, types, dimensions), name);
    }
  });

  it('is INVALID_ARGUMENT when it is none', () => {
    for (const text of ['nonsense', 'int4(3)', 'numeric(0,2)', 'numeric(2000)', 'varchar(1,2)', '', '[]', 'hstore[]']) {
      assert.throws(() => parseType(text, find), { status: 'INVALID_ARGUMENT' }, text);
    }
  });
});

describe('columns by an Arrow schema', () => {
  it('are of the types that its fields name, else of those that their types stand for', () => {
    const schema = schemaOf([
      field('a', utf8(), { metadata: { 'POSTGRESQL:type': 'varchar(7)' } }),
      field('b', timestamp('us', 'UTC')),
      field('c', list(utf8())),
      uuidField('d'),
    ]);
    const { columns } = readColumns(schema, []);
    const texts = columns.map(({ oid, typmod, dimensions }) => {
      const type = types.get(oid);
      assert.ok(type);
      return typeText(type, typmod, types, dimensions);
    });
    assert.deepEqual(texts, ['varchar(7)', 'timestamptz', 'text[]', 'uuid']);
    assert.throws(() => readColumns(schemaOf([field('x', timestamp('ns'))]), []), {
      status: 'INVALID_ARGUMENT',
      message: /column "x", timestamp\[ns\]/,
    });
  });
});

describe('options as texts', () => {
  it('are read by name', () => {
    const texts = new Map([
      ['numeric', 'decimal(38, 10)'],
      ['infinity', 'clamp'],
      ['arrayDimensions', '2'],
      ['other', 'x'],
    ]);
    const { numeric, infinity, arrayDimensions } = parseDecodeOptions(texts);
    assert.deepEqual(
      { numeric, infinity, arrayDimensions },
      { numeric: { precision: 38, scale: 10 }, infinity: 'clamp', arrayDimensions: 2 },
    );
  });

  it('are INVALID_ARGUMENT, naming the option, when they are none', () => {
    const wrong: readonly [string, string][] = [
      ['numeric', 'decimal'],
      ['numeric', 'decimal(77)'],
      ['infinity', 'zero'],
      ['arrays', 'json'],
      ['arrayDimensions', '7'],
      ['arrayBounds', 'keep'],
      ['moneyScale', '-1'],
      ['moneyScale', 'two'],
    ];
    for (const [name, value] of wrong) {
      assert.throws(
        () => parseDecodeOptions(new Map([[name, value]])),
        { status: 'INVALID_ARGUMENT', message: new RegExp(name) },
        value,
      );
    }
  });
});
