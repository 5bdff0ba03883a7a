import type { JsonField } from '../../src/cli/integration/json-format.ts';
import { type GoldDefinition, gold, only } from './definition.ts';
import {
  decimal,
  dictionary,
  field,
  fixedList,
  float,
  int,
  list,
  map,
  plain,
  runs,
  struct,
  time,
  timestamp,
  union,
  utf8,
} from './truth.ts';

/** A field and its value by the row. */
type Series = readonly [JsonField, (row: number) => unknown];

/** Every third value is null. */
function some(value: (row: number) => unknown): (row: number) => unknown {
  return (row) => (row % 3 === 2 ? null : value(row));
}

const word = (row: number): string => (row % 2 === 0 ? `w${row % 4}` : `a longer word, number ${row % 4}`);
const hex = (row: number): string => Buffer.from(word(row)).toString('hex').toUpperCase();
const item = field('item', int(16));
const few = (row: number): number[] => Array.from({ length: row % 3 }, (_, i) => i);
const day = 86_400_000;

/** Types that belong together. */
const groups: Readonly<Record<string, readonly Series[]>> = {
  primitive: [
    [field('bool', plain('bool')), some((row) => row % 2 === 0)],
    [field('i8', int(8)), some((row) => -row)],
    [field('u16', int(16, false)), (row) => 65_535 - (row % 4)],
    [field('i32', int(32), { nullable: false }), (row) => row % 5],
    [field('u64', int(64, false)), some(() => '18446744073709551615')],
    [field('f16', float('HALF')), some((row) => (row % 4) / 4)],
    [field('f32', float('SINGLE')), (row) => (row % 4) + 0.5],
    [field('f64', float('DOUBLE')), some((row) => row * 0.25)],
    [field('fixed', { name: 'fixedsizebinary', byteWidth: 3 }), some((row) => `0${row % 4}FF00`)],
    [field('nothing', plain('null')), () => null],
  ],
  text: [
    [field('utf8', utf8), some(word)],
    [field('large_utf8', plain('largeutf8')), word],
    [field('binary', plain('binary')), some(hex)],
    [field('large_binary', plain('largebinary')), hex],
  ],
  view: [
    [field('utf8_view', plain('utf8view')), some(word)],
    [field('binary_view', plain('binaryview')), hex],
    [field('all_inline', plain('utf8view')), (row) => `${row % 2}`],
  ],
  list: [
    [list('list', item), some(few)],
    [list('large_list', item, 'largelist'), few],
    [list('list_view', item, 'listview'), some(few)],
    [list('large_list_view', item, 'largelistview'), few],
    [fixedList('fixed', item, 2), some((row) => [row % 4, 7])],
    [map('map', field('key', int(8)), item), (row) => few(row).map((key) => [key, row % 4])],
  ],
  union: [
    [union('sparse', 'SPARSE', [5, 9], [field('a', int(32)), field('b', int(8))]), (row) => [row % 2 ? 9 : 5, row % 4]],
    [union('dense', 'DENSE', [0, 7], [field('a', int(32)), field('b', utf8)]), (row) => (row % 2 ? [7, 'x'] : [0, 3])],
  ],
  decimal: [
    [field('d32', decimal(7, 2, 32)), some((row) => 9_999_999 - (row % 2))],
    [field('d64', decimal(18, 3, 64)), () => '-999999999999999999'],
    [field('d128', decimal(38, 10, 128)), some(() => '99999999999999999999999999999999999999')],
    [field('d256', decimal(76, 0, 256)), (row) => (row % 2 ? `-${'9'.repeat(76)}` : 1)],
    [field('negative_scale', decimal(5, -3, 128)), () => -12_345],
  ],
  temporal: [
    [field('date32', plain('date', 'DAY')), some((row) => -row)],
    [field('date64', plain('date', 'MILLISECOND')), (row) => (row % 4) * day],
    [field('time_s', time('SECOND', 32)), () => 86_399],
    [field('time_ns', time('NANOSECOND', 64)), some(() => 86_399_999_999_999)],
    [field('timestamp', timestamp('NANOSECOND', 'Europe/Bern')), () => '1700000000123456789'],
    [field('duration', plain('duration', 'MICROSECOND')), some((row) => -row)],
    [field('months', plain('interval', 'YEAR_MONTH')), (row) => -(row % 4)],
    [field('days', plain('interval', 'DAY_TIME')), some((row) => ({ days: row % 4, milliseconds: -5 }))],
    [field('mdn', plain('interval', 'MONTH_DAY_NANO')), () => ({ months: -1, days: 2, nanoseconds: 9007199254740991 })],
  ],
  nested: [
    [struct('struct', [item, field('name', utf8)]), some((row) => [row % 4, null])],
    [runs('runs', field('', utf8)), (row) => (row < 6 ? 'first' : row < 11 ? null : 'last')],
    [dictionary('dictionary', 0, utf8), some((row) => row % 3)],
  ],
};
const dictionaries = { 0: [field('', utf8), ['red', 'green, which is a longer word', null]] } as const;

function rows(series: readonly Series[], count: number, from = 0): unknown[][] {
  return series.map(([, value]) => Array.from({ length: count }, (_, i) => value(from + i)));
}

function typed(name: string, group: string, count: number, written: GoldDefinition['written']): GoldDefinition {
  const series = groups[group] ?? [];
  return gold(
    name,
    series.map(([of]) => of),
    [rows(series, count)],
    { written, ...(group === 'nested' && { dictionaries }) },
  );
}

const codecs = (['lz4', 'zstd'] as const).flatMap((compression) =>
  Object.keys(groups).map((group) =>
    typed(`${compression}_${group}`, group, 16, { compression, formats: [compression === 'lz4' ? 'stream' : 'file'] }),
  ),
);

const alignments = ([8, 64] as const).flatMap((alignment) =>
  (alignment === 8 ? ['primitive'] : ['primitive', 'view', 'nested']).map((group): GoldDefinition => {
    const made = typed(`alignment_${alignment}_${group}`, group, 5, { alignment });
    return { ...made, json: { ...made.json, extra: { alignment } } };
  }),
);

const flat = ['primitive', 'text', 'view', 'decimal', 'temporal'].flatMap((group) => groups[group] ?? []);
const deeper = ['list', 'union', 'nested'].flatMap((group) => groups[group] ?? []);
const between = [...(groups.text ?? []), ...(groups.list ?? []).slice(0, 3)];
const fieldsOf = (series: readonly Series[]): JsonField[] => series.map(([of]) => of);

const empties: readonly GoldDefinition[] = [
  gold('zero_columns', [], [[], [], []], { counts: [3, 0, 70_000], metadata: [{ key: 'why', value: 'count(*)' }] }),
  gold('zero_columns_no_batches', [], []),
  gold('zero_rows_flat', fieldsOf(flat), [rows(flat, 0)], { written: { formats: ['stream'] } }),
  gold('zero_rows_nested', fieldsOf(deeper), [rows(deeper, 0)], { dictionaries, written: { formats: ['file'] } }),
  only('stream', gold('zero_batches', fieldsOf(deeper), [], { dictionaries: { 0: [field('', utf8), []] } })),
  only(
    'file',
    gold(
      'zero_rows_between',
      fieldsOf(between),
      [0, 3, 0, 0, 2, 0].map((count, i) => rows(between, count, i)),
    ),
  ),
];

const halves = [
  'NaN',
  'Infinity',
  '-Infinity',
  '-0',
  0,
  2 ** -24,
  -(2 ** -24),
  1023 * 2 ** -24,
  2 ** -14,
  65_504,
  -65_504,
];
const exact = { exactFloats: true };
const half = field('f', float('HALF'));

const floats: readonly GoldDefinition[] = [
  gold('float16_special', [half], [[halves], [[null, 1 + 2 ** -10, 1 / 4]]], { extra: exact }),
  gold(
    'float16_in_list',
    [list('l', half), fixedList('fixed', half, 2)],
    [
      [
        [halves.slice(0, 4), null, [], ['NaN', null]],
        [[1, '-0'], null, ['Infinity', 0.5], [null, 2 ** -24]],
      ],
    ],
    { extra: exact },
  ),
  gold(
    'float16_in_struct_and_runs',
    [struct('s', [half]), runs('r', half, 16)],
    [
      [
        [['-0'], null, ['NaN'], [2]],
        ['NaN', 'NaN', '-Infinity', null],
      ],
    ],
    { extra: exact },
  ),
  gold(
    'float32_float64_special',
    [field('f32', float('SINGLE')), field('f64', float('DOUBLE'))],
    [
      [
        ['NaN', '-Infinity', '-0', 2 ** -149, null],
        ['NaN', 'Infinity', '-0', 5e-324, 1.7976931348623157e308],
      ],
    ],
    { extra: exact },
  ),
];

const long = 'thirteen bytes or more';
const deep: readonly GoldDefinition[] = [
  ...[16, 32, 64].map((bits) =>
    gold(`runs_${bits}`, [runs('r', field('', int(32)), bits)], [[[1, 1, 1, null, null, 2]], [[2]], [[]]]),
  ),
  gold('runs_in_struct', [struct('s', [runs('r', field('', utf8))])], [[[['a'], ['a'], [null], ['b']]]]),
  gold('runs_in_list', [list('l', runs('item', field('', int(8))))], [[[[1, 1], [], null, [1, 2, 2]]]]),
  gold('runs_of_struct', [runs('r', struct('', [item, field('t', utf8)]))], [[[[1, 'a'], [1, 'a'], null, [2, null]]]]),
  gold('runs_of_dictionary', [runs('r', dictionary('', 0, utf8))], [[[0, 0, 1, null, 1]]], {
    dictionaries: { 0: [field('', utf8), ['x', 'y']] },
  }),
  gold('runs_of_list_view', [runs('r', list('', item, 'listview'))], [[[[1, 2], [1, 2], [], null]]]),
  gold('views_in_list', [list('l', field('item', plain('utf8view')))], [[[['a', long], null, [], [null, long]]]]),
  gold(
    'views_in_struct',
    [struct('s', [field('u', plain('utf8view')), field('b', plain('binaryview'))])],
    [[[[long, '00'], null, ['', 'FF'.repeat(13)]]]],
  ),
  gold(
    'list_view_of_list_view',
    [list('l', list('item', item, 'listview'), 'largelistview')],
    [[[[[1], [2, 3]], null, [], [[], null, [4]]]]],
  ),
  gold(
    'list_view_of_views',
    [list('l', field('item', plain('binaryview')), 'listview')],
    [[[['00', 'AB'.repeat(20)], [], null, ['CD'.repeat(14)]]]],
  ),
  gold(
    'map_repeated_keys',
    [map('m', field('key', utf8), field('value', int(32)))],
    [
      [
        [
          [
            ['a', 1],
            ['a', 2],
            ['', null],
            ['a', 1],
          ],
          [],
          null,
        ],
      ],
    ],
  ),
  gold(
    'map_of_map',
    [map('m', field('key', int(8)), map('value', field('key', utf8), field('value', utf8)))],
    [
      [
        [
          [
            [
              1,
              [
                ['a', 'b'],
                ['a', null],
              ],
            ],
            [1, null],
          ],
          [[2, []]],
        ],
      ],
    ],
  ),
  gold(
    'same_names',
    [field('', int(8)), field('', utf8), field('x', int(8)), field('x', float('DOUBLE'))],
    [[[1], ['a'], [2], [0.5]]],
  ),
];

export const typeCases: readonly GoldDefinition[] = [
  ...codecs,
  ...alignments,
  ...empties,
  ...[...floats, ...deep].map((one) => only('stream', one)),
];

/** Values of the types that old gold files of the other byte order do not have. */
export function typeGroup(group: string, count: number): [fields: JsonField[], values: unknown[][]] {
  const series = groups[group] ?? [];
  return [series.map(([of]) => of), rows(series, count)];
}
