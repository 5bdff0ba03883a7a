/** Values of one type to decode and to compare with the server's own text. */
export interface TypeCase {
  /** As SQL writes it. */
  readonly type: string;
  /** An expression of the row number `i` and of `random()`. */
  readonly value: string;
  /** Values at the ends of what there is, as literals. */
  readonly extremes: readonly string[];
  /** What makes of a value what Arrow's text is to be, where that is not `::text`. */
  readonly text?: string;
  /** Needs the extension or type that the set-up makes. */
  readonly own?: boolean;
}

const word = `(array['', 'a', 'NULL', 'null', 'x y', '{', '"', '\\', 'häß', '日本', '😀', ',', '(', 'tab\t', repeat('long ', 40)])[1 + (random() * 14)::int]`;
const wholeNumber = '(random() * 2000 - 1000)::int';
const money = 'cast((random() - 0.5) * 1e15 as numeric)::money';
/** Over the whole range, evenly by magnitude. */
const wide = (bits: number): string => `((random() - 0.5) * 2 ^ (random() * ${bits}))`;
const micros = `(random() * 86399999999)::bigint * interval '1 microsecond'`;
const octet = '(random() * 255)::int';
const hex = (count: number): string => `lpad(to_hex((random() * (16 ^ ${count} - 1))::bigint), ${count}, '0')`;
const address4 = `(${octet} || '.' || ${octet} || '.' || ${octet} || '.' || ${octet})`;
const group = `(array['0', '0', '0', 'ffff', to_hex((random() * 65535)::int)])[1 + (random() * 4)::int]`;
const address6 = `(${Array(8).fill(group).join(` || ':' || `)})`;
const coordinate = wide(40);
const point = `point(${coordinate}, ${coordinate})`;
const bits = `(random() * 2147483647)::int::bit(31)::text`;

export const typeCases: readonly TypeCase[] = [
  { type: 'bool', value: 'random() < 0.5', extremes: ['true', 'false'] },
  { type: 'int2', value: '(random() * 65535 - 32768)::int2', extremes: ['-32768', '32767', '0'] },
  { type: 'int4', value: `${wide(31)}::int4`, extremes: ['-2147483648', '2147483647', '0', '-1'] },
  {
    type: 'int8',
    value: `${wide(62)}::int8`,
    extremes: ['-9223372036854775808', '9223372036854775807', '0', '-1', '4294967295', '4294967296', '-4294967296'],
  },
  {
    type: 'float4',
    value: `${wide(120)}::float4`,
    extremes: [
      'NaN',
      'Infinity',
      '-Infinity',
      '-0',
      '0',
      '3.4028235e+38',
      '1e-45',
      '1.17549435e-38',
      '1000000',
      '999999',
    ],
  },
  {
    type: 'float8',
    value: `(${wide(1000)})::float8`,
    extremes: [
      'NaN',
      'Infinity',
      '-Infinity',
      '-0',
      '1.7976931348623157e+308',
      '5e-324',
      '1e15',
      '123456789012345',
      '0.0001',
    ],
  },
  {
    type: 'numeric(12,2)',
    value: `(${wide(32)})::numeric(12,2)`,
    extremes: ['9999999999.99', '-9999999999.99', '0', '0.01', '-0.01', '10000', '9999', '10000.10'],
  },
  {
    type: 'numeric(38,10)',
    value: `((random() - 0.5)::numeric * 10 ^ (random() * 27)::int)::numeric(38,10)`,
    extremes: [
      '9999999999999999999999999999.9999999999',
      '-9999999999999999999999999999.9999999999',
      '0.0000000001',
      '0',
    ],
  },
  {
    type: 'numeric(76,30)',
    value: `((random() - 0.5)::numeric * 10 ^ (random() * 44)::int + random()::numeric)::numeric(76,30)`,
    extremes: [`${'9'.repeat(46)}.${'9'.repeat(30)}`, `-${'9'.repeat(46)}.${'9'.repeat(30)}`, '1e-30', '0', '1e45'],
  },
  {
    type: 'numeric(18,0)',
    value: `(${wide(58)})::numeric(18,0)`,
    extremes: ['9'.repeat(18), `-${'9'.repeat(18)}`, '9007199254740993', '9007199254740992', '0'],
  },
  {
    type: 'numeric',
    value: `((random() - 0.5)::numeric * 10 ^ (random() * 60 - 30)::int::numeric)`,
    extremes: [
      'NaN',
      'Infinity',
      '-Infinity',
      '1e131071',
      '-1e131071',
      '1e-16383',
      '0.000',
      '10000',
      '0.0001',
      '1.50',
      '123456789.123456789',
    ],
  },
  {
    type: 'money',
    value: money,
    extremes: ['-92233720368547758.08', '92233720368547758.07'],
    text: `trunc(v::numeric * 100)::text`,
  },
  { type: 'oid', value: '(random() * 4294967295)::int8::oid', extremes: ['0', '4294967295'] },
  { type: 'xid', value: '((random() * 4294967295)::int8)::text::xid', extremes: ['0', '4294967295'] },
  { type: 'cid', value: '((random() * 4294967295)::int8)::text::cid', extremes: ['0', '4294967295'] },
  { type: 'xid8', value: '((random() * 9e18)::int8)::text::xid8', extremes: ['0', '18446744073709551615'] },
  { type: 'pg_lsn', value: `'0/0'::pg_lsn + (random() * 9e18)::numeric`, extremes: ['0/0', 'FFFFFFFF/FFFFFFFF'] },
  { type: 'text', value: word, extremes: ['', ' '] },
  { type: 'varchar(20)', value: `left(${word}, 20)`, extremes: [''] },
  { type: 'bpchar(10)', value: `left(${word}, 10)`, extremes: [''], text: `rpad(v::text, 10)` },
  { type: 'name', value: `left(${word}, 20)::name`, extremes: [''] },
  { type: '"char"', value: `chr(1 + (random() * 126)::int)::"char"`, extremes: ['', 'a'] },
  {
    type: 'bytea',
    value: `decode(repeat(${hex(2)}, (random() * 40)::int), 'hex')`,
    extremes: ['\\x', '\\x00', '\\xff'],
  },
  {
    type: 'uuid',
    value: 'gen_random_uuid()',
    extremes: ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  },
  {
    type: 'json',
    value: `json_build_object('a', ${word}, 'b', ${wholeNumber})`,
    extremes: ['null', '[]', ' {"a" : 1} '],
  },
  {
    type: 'jsonb',
    value: `jsonb_build_object('a', ${word}, 'b', ${wholeNumber})`,
    extremes: ['null', '[]', '{"a": 1}'],
  },
  { type: 'jsonpath', value: `('$.a' || i || '[*] ? (@ > ' || i || ')')::jsonpath`, extremes: ['$', 'strict $.x'] },
  {
    type: 'date',
    value: `'2000-01-01'::date + ${wide(21)}::int`,
    extremes: [
      '4713-01-01 BC',
      '5874897-12-31',
      '1970-01-01',
      '0001-12-31 BC',
      '0001-01-01',
      '2000-02-29',
      '1900-02-28',
    ],
  },
  { type: 'time', value: `'00:00'::time + ${micros}`, extremes: ['00:00:00', '23:59:59.999999'] },
  {
    type: 'timetz',
    value: `(('00:00'::time + ${micros})::text || (array['+00', '-11:30', '+15:59:59', '-00:00:01', '+05:45'])[1 + (random() * 4)::int])::timetz`,
    extremes: ['00:00:00+00', '24:00:00-15:59:59', '23:59:59.999999+15:59'],
  },
  {
    type: 'timestamp',
    value: `'2000-01-01'::timestamp + ${wide(57)} * interval '1 microsecond'`,
    extremes: [
      '4713-01-01 00:00:00 BC',
      '294246-12-31 23:59:59.999999',
      '1970-01-01',
      '1969-12-31 23:59:59.999999',
      '2000-01-01',
    ],
  },
  {
    type: 'timestamptz',
    value: `'2000-01-01Z'::timestamptz + ${wide(57)} * interval '1 microsecond'`,
    extremes: ['4713-01-02 00:00:00+00 BC', '294246-12-31 23:59:59.999999+00'],
  },
  {
    type: 'interval',
    value: `make_interval(months => ${wide(30)}::int, days => ${wide(30)}::int) + ${wide(53)} * interval '1 microsecond'`,
    extremes: [
      '0',
      '178956970 years',
      '-178956970 years',
      '2147483647 days',
      '2562047 hours',
      '-2562047 hours -47 minutes',
      '1 day -00:00:00.000001',
    ],
  },
  { type: 'bit(13)', value: `(random() * 8191)::int::bit(13)`, extremes: ['0000000000000', '1111111111111'] },
  { type: 'varbit', value: `left(${bits} || ${bits}, (random() * 60)::int)::varbit`, extremes: ['', '1', '11111111'] },
  {
    type: 'inet',
    value: `((case when random() < 0.5 then ${address4} || '/' || (random() * 32)::int else ${address6} || '/' || (random() * 128)::int end))::inet`,
    extremes: [
      '0.0.0.0',
      '255.255.255.255/32',
      '::',
      '::1',
      '::ffff:1.2.3.4',
      '1::',
      '::1.2.3.4',
      '1:0:0:2:0:0:0:3',
      '0:0:1:0:0:0:0:0/128',
    ],
    // What it is printed as, without the /32 that the cast adds.
    text: `case when v is not null then format('%s', v) end`,
  },
  {
    type: 'cidr',
    value: `network(((case when random() < 0.5 then ${address4} || '/' || (random() * 32)::int else ${address6} || '/' || (random() * 128)::int end))::inet)`,
    extremes: ['0.0.0.0/0', '10.0.0.0/8', '::/0', '::1/128'],
  },
  { type: 'macaddr', value: `${hex(12)}::macaddr`, extremes: ['00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff'] },
  {
    type: 'macaddr8',
    value: `(${hex(8)} || ${hex(8)})::macaddr8`,
    extremes: ['00:00:00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff:ff:ff'],
  },
  { type: 'point', value: point, extremes: ['(NaN,Infinity)', '(-0,1e300)'] },
  { type: 'line', value: `line(${point}, ${point})`, extremes: ['{1,2,3}', '{-1,0,1e-300}'] },
  { type: 'lseg', value: `lseg(${point}, ${point})`, extremes: ['[(0,0),(1,1)]'] },
  { type: 'box', value: `box(${point}, ${point})`, extremes: ['(0,0),(1,1)'] },
  {
    type: 'path',
    value: `case when random() < 0.5 then pclose(path(polygon(4, circle(${point}, 3)))) else popen(path(polygon(3, circle(${point}, 2)))) end`,
    extremes: ['[(1,2)]', '((1,2),(3,4))'],
  },
  { type: 'polygon', value: `polygon(2 + (random() * 5)::int, circle(${point}, 3))`, extremes: ['((0,0))'] },
  { type: 'circle', value: `circle(${point}, random() * 10)`, extremes: ['<(0,0),0>'] },
  {
    type: 'tid',
    value: `format('(%s,%s)', (random() * 4294967295)::int8, (random() * 65535)::int)::tid`,
    extremes: ['(0,0)', '(4294967295,65535)'],
  },
  {
    type: 'pg_snapshot',
    value: `format('%s:%s:%s', 100 + i, 200 + i, 150 + i)::pg_snapshot`,
    extremes: ['10:10:', '10:20:10,15,19'],
  },
  {
    type: 'tsvector',
    value: `setweight(to_tsvector('simple', 'the quick ' || ${word} || ' fox ' || i), (array['A', 'B', 'C', 'D'])[1 + i % 4]::"char")`,
    extremes: ['', `'it''s':1A,2B,3C,4`, `a b c`],
  },
  {
    type: 'tsquery',
    value: `(array['a & b | !c', '!(a | b) & c:*A', 'a <-> b <2> (c | d)', 'a <-> (b <-> c)', '(a | b) <-> c & d', '!!a', '!(a <-> b)', 'x' || i || ':BD'])[1 + i % 8]::tsquery`,
    extremes: ['', `'it''s':*`],
  },
  { type: 'xml', value: `('<a>' || i || '</a>')::xml`, extremes: ['<a/>'] },
  {
    type: 'int4range',
    value: `int4range(i, i + (random() * 5)::int, '[]')`,
    extremes: ['empty', '(,)', '[1,)', '(,5]'],
  },
  { type: 'int8range', value: `int8range(i, i + (random() * 5)::int)`, extremes: ['empty', '(,)'] },
  { type: 'numrange', value: `numrange(random()::numeric, 1 + i, '(]')`, extremes: ['empty', '(,)', '[1.50,2.50]'] },
  {
    type: 'tsrange',
    value: `tsrange('2000-01-01'::timestamp + i * interval '1 hour', '2030-01-01', '()')`,
    extremes: ['empty', '(,)'],
  },
  {
    type: 'tstzrange',
    value: `tstzrange('2000-01-01Z'::timestamptz + i * interval '1 hour', null)`,
    extremes: ['empty', '(,)'],
  },
  {
    type: 'daterange',
    value: `daterange('2000-01-01'::date + i, '2000-01-02'::date + 2 * i)`,
    extremes: ['empty', '(,)'],
  },
  {
    type: 'int4multirange',
    value: `int4multirange(int4range(i, i + 2), int4range(i + 5, i + 9))`,
    extremes: ['{}', '{(,)}', '{(,1),[3,)}'],
  },
  {
    type: 'nummultirange',
    value: `nummultirange(numrange(i, i + 0.5), numrange(i + 5, null))`,
    extremes: ['{}', '{(,)}'],
  },
  { type: 'datemultirange', value: `datemultirange(daterange('2000-01-01'::date + i, null))`, extremes: ['{}'] },
  { type: 'int2vector', value: `(i % 100 || ' ' || i % 7)::int2vector`, extremes: ['', '-32768 32767'] },
  { type: 'oidvector', value: `(i || ' ' || i % 7)::oidvector`, extremes: ['', '4294967295'] },
  { type: 'int4[]', value: `array[i, null, ${wholeNumber}]`, extremes: ['{}', '{NULL}', '{1,2,3}'] },
  { type: 'bool[]', value: `array[i % 2 = 0, null]`, extremes: ['{}'] },
  { type: 'text[]', value: `array[${word}, null, ${word}]`, extremes: ['{}', '{""}', '{"NULL",NULL}'] },
  { type: 'numeric(10,2)[]', value: `array[random()::numeric, i]::numeric(10,2)[]`, extremes: ['{}', '{99999999.99}'] },
  { type: 'box[]', value: `array[box(${point}, ${point}), null]`, extremes: ['{}'] },
  { type: 'timestamptz[]', value: `array['2000-01-01Z'::timestamptz + i * interval '1 second']`, extremes: ['{}'] },
  { type: 'jsonb[]', value: `array[jsonb_build_object('k', ${word})]`, extremes: ['{}'] },
  {
    type: 'daterange[]',
    value: `array[daterange('2000-01-01'::date, '2000-01-02'::date + i), null]`,
    extremes: ['{}'],
  },
  { type: 'int4[][]', value: `array[[i, null], [1, ${wholeNumber}]]`, extremes: ['{}', '{{1},{2},{3}}', '{{1,2,3}}'] },
  { type: 'text[][][]', value: `array[[[${word}, ${word}]], [[null, 'z']]]`, extremes: ['{}', '{{{a}}}'] },
  {
    type: 'mood',
    value: `(array['sad', 'ok', 'very happy'])[1 + i % 3]::mood`,
    extremes: ['sad', 'very happy'],
    own: true,
  },
  { type: 'mood[]', value: `array[(array['sad', 'ok'])[1 + i % 2]::mood, null]`, extremes: ['{}'], own: true },
  { type: 'price', value: `(${wide(20)})::price`, extremes: ['0', '99999999.9999'], own: true },
  {
    type: 'item',
    value: `row(i, ${word}, case when i % 3 = 0 then null else ${wide(20)}::numeric(12,4) end, i % 2 = 0)::item`,
    extremes: ['(,,,)', '(1,"","0.0000",t)'],
    own: true,
  },
  { type: 'item[]', value: `array[row(i, ${word}, null, true)::item, null]`, extremes: ['{}'], own: true },
  {
    type: 'floatrange',
    value: `floatrange(random(), 1 + i)`,
    extremes: ['empty', '(,)', '[-Infinity,Infinity]'],
    own: true,
  },
  {
    type: 'hstore',
    value: `hstore(array['a', 'k' || i], array[null, ${word}])`,
    extremes: ['', 'a=>NULL', '"x y"=>"\\"q\\""'],
    own: true,
  },
  { type: 'citext', value: `${word}::citext`, extremes: ['', 'AbC'], own: true },
];

/** Makes the types that are not built in. */
export const setUpTypes: readonly string[] = [
  `CREATE EXTENSION IF NOT EXISTS hstore`,
  `CREATE EXTENSION IF NOT EXISTS citext`,
  `CREATE TYPE mood AS ENUM ('sad', 'ok', 'very happy')`,
  `CREATE DOMAIN price AS numeric(12,4) CHECK (value < 1e8)`,
  `CREATE TYPE item AS (id int, name text, price price, flag bool)`,
  `CREATE TYPE floatrange AS RANGE (subtype = float8)`,
];

/** The statement that gives `count` values of a case, then its extremes and NULL: the value, and its text. */
export function valuesOf({ type, value, extremes, text = 'v::text' }: TypeCase, count: number): string {
  const literals = extremes.map((literal) => `('${literal.replaceAll("'", "''")}'::${type})`);
  // `materialized`: random() must not run once for the value and once for its text.
  return `WITH cases AS MATERIALIZED (
    SELECT (${value})::${type} AS v FROM generate_series(1, ${count}) i
    UNION ALL SELECT * FROM (VALUES ${[...literals, `(NULL::${type})`].join(', ')}) extremes (v))
    SELECT v, ${text} AS t FROM cases`;
}
