import { type GoldDefinition, gold, only } from './definition.ts';
import { dictionary, field, fixedList, float, int, list, map, plain, runs, struct, utf8 } from './truth.ts';

const both = ['stream', 'file'] as const;
const stream = ['stream'] as const;

/** The messages of batches, before each of which these dictionaries come. */
function messages(...before: ReadonlyArray<readonly string[]>): string[] {
  return ['schema', ...before.flatMap((names) => [...names.map((name) => `dictionary ${name}`), 'batch'])];
}

const words = ['alpha', 'beta', '', 'gamma with more than twelve bytes', 'δέλτα', 'epsilon', 'zeta'];
const text = field('', utf8);

/** One dictionary column whose dictionary grows from batch to batch. */
function growing(name: string, of: ReturnType<typeof dictionary>, values: readonly unknown[]): GoldDefinition {
  const batches = [[[0, 1, null, 0]], [[1, 3, 2]], [[4, 0, null, 3]]];
  const { dictionary: _, ...value } = of;
  return gold(name, [of], batches, {
    dictionaries: { 0: [value, values] },
    extra: { dictionariesChange: true, messages: messages(['0'], ['0 delta'], ['0 delta']) },
    written: { windows: { 0: [2, 4, 5].map((end) => [0, end] as const) } },
  });
}

const point = [field('x', int(16)), field('label', utf8)];
const pair = [
  [1, null],
  [null, 'none'],
  [2, null],
  [-4, 'four'],
  [5, 'five'],
];

const deltas: readonly GoldDefinition[] = [
  growing('delta_utf8', dictionary('d', 0, utf8), words.slice(0, 5)),
  growing('delta_large_utf8', dictionary('d', 0, plain('largeutf8'), {}, 16), words.slice(1, 6)),
  growing('delta_utf8_view', dictionary('d', 0, plain('utf8view')), [...words.slice(2, 6), 'another that is long']),
  growing('delta_null_value', dictionary('d', 0, utf8), ['a', null, 'b', 'c', null]),
  growing('delta_binary', dictionary('d', 0, plain('binary')), ['00', '', 'FF80', '010203', 'C3']),
  growing('delta_int64', dictionary('d', 0, int(64), {}, 32), ['-9223372036854775808', 0, 7, '9223372036854775807', 1]),
  growing('delta_bool', dictionary('d', 0, plain('bool')), [true, false, null, true, false]),
  growing('delta_struct', dictionary('d', 0, plain('struct'), { children: point }), pair),
  growing('delta_list', dictionary('d', 0, plain('list'), { children: [field('item', utf8)] }), [
    ['a', null],
    [],
    [null],
    ['c'],
    ['d', 'e', 'f'],
  ]),
  gold('delta_several', [dictionary('d', 3, utf8, {}, 32)], [[[0]], [[1, 0]], [[2]], [[3, 1]], [[4]], [[5, 6, 0]]], {
    dictionaries: { 3: [text, words] },
    extra: {
      dictionariesChange: true,
      messages: messages(['3'], ['3 delta'], ['3 delta'], [], ['3 delta'], ['3 delta']),
    },
    written: { windows: { 3: [1, 2, 4, 4, 5, 7].map((end) => [0, end] as const) } },
  }),
  gold(
    'delta_beside_unchanged',
    [dictionary('grows', 0, utf8), dictionary('stays', 1, utf8), field('n', int(32))],
    [
      [
        [0, 1],
        [1, 0],
        [10, 11],
      ],
      [
        [2, 0],
        [1, 1],
        [12, null],
      ],
    ],
    {
      dictionaries: { 0: [text, words.slice(0, 3)], 1: [text, ['no', 'yes']] },
      extra: { dictionariesChange: true, messages: messages(['0', '1'], ['0 delta']) },
      written: {
        windows: {
          0: [
            [0, 2],
            [0, 3],
          ],
        },
      },
    },
  ),
];

const replacements: readonly GoldDefinition[] = [
  gold('replacement_utf8', [dictionary('d', 0, utf8)], [[[0, 1, null]], [[2, 3, 2]], [[4, 4]]], {
    dictionaries: { 0: [text, ['a', 'b', 'x', 'y', 'long enough for no view to hold it']] },
    extra: { dictionariesChange: true, messages: messages(['0'], ['0'], ['0']) },
    written: {
      formats: stream,
      windows: {
        0: [
          [0, 2],
          [2, 4],
          [4, 5],
        ],
      },
    },
  }),
  gold(
    'replacement_struct',
    [dictionary('d', 9, plain('struct'), { children: point }, 32)],
    [[[0, 1, null]], [[3, 2]]],
    {
      dictionaries: { 9: [struct('', point), pair.slice(0, 4)] },
      extra: { dictionariesChange: true, messages: messages(['9'], ['9']) },
      written: {
        formats: stream,
        windows: {
          9: [
            [0, 2],
            [2, 4],
          ],
        },
      },
    },
  ),
  gold(
    'replacement_beside_delta',
    [dictionary('replaced', 0, utf8), dictionary('grows', 1, int(32))],
    [
      [
        [0, 1],
        [0, 0],
      ],
      [
        [2, 3],
        [1, 0],
      ],
      [
        [3, 2],
        [2, 1],
      ],
    ],
    {
      dictionaries: { 0: [text, ['a', 'b', 'c', 'd']], 1: [field('', int(32)), [100, 200, 300]] },
      extra: { dictionariesChange: true, messages: messages(['0', '1'], ['0', '1 delta'], ['1 delta']) },
      written: {
        formats: stream,
        windows: {
          0: [
            [0, 2],
            [2, 4],
            [2, 4],
          ],
          1: [1, 2, 3].map((end) => [0, end] as const),
        },
      },
    },
  ),
  gold('replacement_then_delta', [dictionary('d', 0, utf8)], [[[0, 1]], [[2, 3]], [[2, 4, 3]]], {
    dictionaries: { 0: [text, ['a', 'b', 'c', 'd', 'e']] },
    extra: { dictionariesChange: true, messages: messages(['0'], ['0'], ['0 delta']) },
    written: {
      formats: stream,
      windows: {
        0: [
          [0, 2],
          [2, 4],
          [2, 5],
        ],
      },
    },
  }),
];

const inner = dictionary('inner', 1, utf8);
const innerValues: Readonly<Record<number, readonly [typeof text, readonly unknown[]]>> = {
  1: [text, ['p', 'q', 'r']],
};

const nested: readonly GoldDefinition[] = [
  gold('nested_in_struct_values', [dictionary('d', 0, plain('struct'), { children: [inner] })], [[[0, 1, null, 2]]], {
    dictionaries: { ...innerValues, 0: [struct('', [inner]), [[2], [0], [null]]] },
    extra: { messages: messages(['1', '0']) },
  }),
  gold('nested_in_list_values', [dictionary('d', 0, plain('list'), { children: [inner] })], [[[2, 1]], [[0, null]]], {
    dictionaries: { ...innerValues, 0: [list('', inner), [[0, 1], [], [2, null]]] },
    extra: { messages: messages(['1', '0'], []) },
  }),
  gold(
    'nested_three_levels',
    [dictionary('d', 0, plain('list'), { children: [dictionary('m', 2, plain('list'), { children: [inner] })] })],
    [[[0, 1, 0]]],
    {
      dictionaries: {
        ...innerValues,
        2: [list('', inner), [[2, 1], [0]]],
        0: [list('', dictionary('m', 2, plain('list'), { children: [inner] })), [[0, 1], [1]]],
      },
      extra: { messages: messages(['1', '2', '0']) },
    },
  ),
  gold(
    'nested_in_list_and_map',
    [list('l', inner), map('m', field('k', int(8)), inner)],
    [
      [
        [[0, 2], null, []],
        [
          [
            [1, 1],
            [2, null],
          ],
          [],
          [[3, 0]],
        ],
      ],
    ],
    { dictionaries: innerValues, extra: { messages: messages(['1']) } },
  ),
  gold(
    'shared_id',
    [dictionary('a', 1, utf8), dictionary('b', 1, utf8)],
    [
      [
        [0, 1, 2],
        [2, null, 0],
      ],
    ],
    { dictionaries: innerValues, extra: { messages: messages(['1']) } },
  ),
  gold(
    'shared_id_at_two_levels',
    [dictionary('a', 1, utf8), struct('s', [dictionary('b', 1, utf8)])],
    [
      [
        [0, 1],
        [[2], null],
      ],
      [
        [2, 2],
        [[0], [1]],
      ],
    ],
    { dictionaries: innerValues, extra: { messages: messages(['1'], []) } },
  ),
  gold(
    'shared_id_with_delta',
    [dictionary('a', 1, utf8), dictionary('b', 1, utf8)],
    [
      [
        [0, 1],
        [1, 1],
      ],
      [
        [2, 0],
        [0, 2],
      ],
    ],
    {
      dictionaries: innerValues,
      extra: { dictionariesChange: true, messages: messages(['1'], ['1 delta']) },
      written: { formats: both, windows: { 1: [2, 3].map((end) => [0, end] as const) } },
    },
  ),
];

/** A dictionary whose values are of a nested type, or of one of the newer layouts. */
function valued(name: string, of: typeof text, values: readonly unknown[]): GoldDefinition {
  const { type, children = [] } = of;
  return gold(`dictionary_of_${name}`, [dictionary('d', 5, type, { children }, 16)], [[[1, 0, null, 2, 1]]], {
    dictionaries: { 5: [of, values] },
    extra: { messages: messages(['5']) },
  });
}

const values: readonly GoldDefinition[] = [
  valued('fixed_size_list', fixedList('', field('item', int(16)), 2), [
    [1, 2],
    [null, 4],
    [5, 6],
  ]),
  valued('map', map('', field('key', utf8), field('value', int(32))), [
    [['a', 1]],
    [],
    [
      ['b', null],
      ['a', 2],
    ],
  ]),
  valued('list_view', list('', field('item', int(8)), 'listview'), [[1], [2, 3, null], []]),
  valued('run_end_encoded', runs('', field('', utf8)), ['a', 'a', 'b']),
  valued('utf8_view', field('', plain('utf8view')), words.slice(2, 5)),
  valued('float16', field('', float('HALF')), [0.5, -2, 65504]),
];

export const dictionaryCases: readonly GoldDefinition[] = [
  ...deltas,
  ...replacements,
  ...nested,
  ...values.map((one) => only('stream', one)),
];
