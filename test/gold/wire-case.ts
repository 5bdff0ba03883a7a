import { type GoldDefinition, gold, only } from './definition.ts';
import { dictionary, field, fixedList, float, int, list, map, plain, runs, struct, union, utf8 } from './truth.ts';
import { typeGroup } from './type-case.ts';

const item = field('item', int(16));
const text = field('', utf8);

const offsets: readonly GoldDefinition[] = [
  gold(
    'offsets_text',
    [field('u', utf8), field('b', plain('binary'))],
    [
      [
        ['a', null, '', 'δ'],
        ['00', 'FF', null, ''],
      ],
    ],
    { written: { byHand: { lead: 8 } } },
  ),
  gold(
    'offsets_large',
    [field('u', plain('largeutf8')), list('l', item, 'largelist')],
    [
      [
        ['a', null, 'b'],
        [[1], [], null],
      ],
    ],
    { written: { byHand: { lead: 8 } } },
  ),
  gold(
    'offsets_list',
    [list('l', item), list('t', list('item', field('item', utf8)))],
    [
      [
        [[1, 2], null, [], [null]],
        [[['a'], null], [], [['b', 'c'], []], null],
      ],
    ],
    { written: { byHand: { lead: 16 } } },
  ),
  gold(
    'offsets_map',
    [map('m', field('key', utf8), field('value', int(32)))],
    [
      [
        [
          [
            ['a', 1],
            ['b', null],
          ],
          null,
          [],
        ],
      ],
    ],
    {
      written: { byHand: { lead: 8 } },
    },
  ),
  gold('offsets_in_struct', [struct('s', [field('u', utf8), list('l', item)])], [[[['a', [1]], null, [null, []]]]], {
    written: { byHand: { lead: 8 } },
  }),
  gold('offsets_in_fixed_size_list', [fixedList('f', field('item', utf8), 2)], [[[['a', 'b'], null, ['', null]]]], {
    written: { byHand: { lead: 8 } },
  }),
  gold(
    'offsets_dense_union',
    [union('u', 'DENSE', [1, 3], [field('a', int(32)), field('b', utf8)])],
    [
      [
        [
          [3, 'x'],
          [1, 7],
          [1, null],
          [3, 'y'],
        ],
      ],
    ],
    { written: { byHand: { lead: 8 } } },
  ),
  gold(
    'offsets_list_view',
    [list('v', item, 'listview'), field('u', plain('utf8view'))],
    [
      [
        [[1], null, [2, 3]],
        ['a', 'a view of more than twelve', null],
      ],
    ],
    { written: { byHand: { lead: 8 } } },
  ),
];

const unionValues = [
  [5, 1],
  [9, 'a'],
  [5, null],
  [9, 'bb'],
];
const unionChildren = [field('a', int(32)), field('b', utf8)];
const v4 = { byHand: { version: 4 } } as const;

const old: readonly GoldDefinition[] = [
  gold('v4_union_sparse', [union('u', 'SPARSE', [5, 9], unionChildren)], [[unionValues]], { written: v4 }),
  gold('v4_union_dense', [union('u', 'DENSE', [5, 9], unionChildren)], [[unionValues]], { written: v4 }),
  gold('v4_union_nulls', [union('u', 'DENSE', [5, 9], unionChildren)], [[unionValues]], {
    written: v4,
    validity: { 0: [1, 0, 1, 1] },
    extra: { unionNulls: true },
  }),
  gold(
    'v4_union_in_list',
    [list('l', union('item', 'SPARSE', [5, 9], unionChildren))],
    [[[[unionValues[0], unionValues[1]], null, [], [unionValues[3]]]]],
    { written: v4 },
  ),
  gold('v4_new_types', ...newTypes(), { written: v4 }),
  gold('legacy_framing', ...grouped('primitive'), { written: { byHand: { version: 4, legacy: true } } }),
  gold(
    'legacy_framing_deltas',
    [dictionary('d', 0, utf8), list('l', item)],
    [
      [
        [0, 1],
        [[1], null],
      ],
      [
        [2, 0],
        [[], [2]],
      ],
    ],
    {
      dictionaries: { 0: [text, ['a', 'b', 'c']] },
      extra: { dictionariesChange: true },
      written: { byHand: { version: 4, legacy: true }, windows: { 0: [2, 3].map((end) => [0, end] as const) } },
    },
  ),
  gold('legacy_framing_v5', [field('n', int(64))], [[[1, null]], [[3]]], { written: { byHand: { legacy: true } } }),
];

function grouped(group: string): [fields: Parameters<typeof gold>[1], batches: Parameters<typeof gold>[2]] {
  const [fields, values] = typeGroup(group, 5);
  return [fields, [values]];
}

function newTypes(): ReturnType<typeof grouped> {
  const views = typeGroup('view', 4);
  const lists = typeGroup('list', 4);
  return [[...views[0], ...lists[0]], [[...views[1], ...lists[1]]]];
}

const inner = dictionary('inner', 1, utf8);
const outer = dictionary('d', 0, plain('struct'), { children: [inner] });

/** Dictionary messages that our writer does not make. */
const dictionaries: readonly GoldDefinition[] = [
  gold('delta_of_nested', [outer], [[[0, null]], [[1, 0]]], {
    dictionaries: {
      1: [text, ['a', 'b', 'c']],
      0: [struct('', [inner]), [[1], [2]]],
    },
    extra: {
      dictionariesChange: true,
      messages: [
        'schema',
        'dictionary 1',
        'dictionary 0',
        'batch',
        'dictionary 1 delta',
        'dictionary 0 delta',
        'batch',
      ],
    },
    written: {
      byHand: {},
      windows: { 1: [2, 3].map((end) => [0, end] as const), 0: [1, 2].map((end) => [0, end] as const) },
    },
  }),
  gold(
    'dictionary_after_nulls',
    [dictionary('d', 0, utf8), field('n', int(8))],
    [
      [
        [null, null],
        [1, 2],
      ],
      [
        [1, 0],
        [3, 4],
      ],
    ],
    {
      dictionaries: { 0: [text, ['a', 'b']] },
      extra: { dictionariesChange: true, messages: ['schema', 'batch', 'dictionary 0', 'batch'] },
      written: { formats: ['stream'], byHand: {}, windows: { 0: [0, 2].map((end) => [0, end] as const) } },
    },
  ),
];

const big = { byHand: { bigEndian: true } } as const;

const bigEndian: readonly GoldDefinition[] = [
  ...['primitive', 'text', 'view', 'list', 'union', 'decimal', 'temporal'].map((group) =>
    gold(`big_endian_${group}`, ...grouped(group), { written: big }),
  ),
  gold(
    'big_endian_runs',
    [16, 32, 64].map((bits) => runs(`r${bits}`, field('', int(32)), bits)),
    [
      [
        [1, 1, null, 258],
        [7, 7, 7, 7],
        [null, 1, 2, 2],
      ],
    ],
    { written: big },
  ),
  gold(
    'big_endian_nested_views',
    [struct('s', [list('l', field('item', plain('utf8view')), 'largelistview')])],
    [[[[['a', 'a view of more than twelve']], null, [[]], [[null, 'b']]]]],
    { written: big },
  ),
  gold('big_endian_deltas', [dictionary('d', 0, float('HALF'), {}, 32)], [[[0, 1, null]], [[2, 0]]], {
    dictionaries: { 0: [field('', float('HALF')), [1.5, null, -2]] },
    extra: { dictionariesChange: true },
    written: { ...big, windows: { 0: [2, 3].map((end) => [0, end] as const) } },
  }),
];

export const wireCases: readonly GoldDefinition[] = [
  ...dictionaries,
  ...[...offsets, ...old, ...bigEndian].map((one, i) =>
    i % 3 === 2 ? one : only(i % 3 === 0 ? 'stream' : 'file', one),
  ),
];
