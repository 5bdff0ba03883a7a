import type { JsonField, JsonType } from '../../src/cli/integration/json-format.ts';
import { type ExtraMetadata, type GoldDefinition, gold } from './definition.ts';
import { dictionary, field, fixedList, float, int, list, map, plain, struct, timestamp, utf8 } from './truth.ts';

const odd = [
  { key: 'plain', value: 'value' },
  { key: 'empty value', value: '' },
  { key: '', value: 'empty key' },
  { key: 'nul', value: 'a\0b\0' },
  { key: 'k\0ey', value: 'NUL in the key' },
  { key: 'ключ 🔑', value: '値' },
];
const repeated = [
  { key: 'k', value: '1' },
  { key: 'k', value: '2' },
  { key: 'other', value: '3' },
  { key: 'k', value: '1' },
];
const bytes: ExtraMetadata = [
  { key: 'latin-1', valueHex: 'E9E8' },
  { key: 'half of a pair', valueHex: 'EDA080' },
  { keyHex: 'FF00FE', valueHex: '' },
];
const n = field('n', int(32));
const two = [[[1, null]], [[3]]];

const metadata: readonly GoldDefinition[] = [
  gold('metadata_schema', [n], two, { metadata: odd }),
  gold('metadata_schema_repeated', [n], two, { metadata: repeated }),
  gold('metadata_field', [{ ...n, metadata: odd }, field('m', utf8, { metadata: repeated })], [[[1], ['a']]]),
  gold(
    'metadata_nested_fields',
    [
      struct('s', [
        list('l', field('item', int(8), { metadata: odd }), 'list', { metadata: [{ key: 'l', value: '' }] }),
      ]),
      map('m', field('key', utf8, { metadata: [{ key: 'in', value: 'key' }] }), n),
    ],
    [
      [
        [[[1]], null],
        [[['a', 1]], []],
      ],
    ],
  ),
  gold('metadata_dictionary_field', [dictionary('d', 0, utf8, { metadata: odd })], [[[0, 0]]], {
    dictionaries: { 0: [field('', utf8), ['a']] },
  }),
  gold('metadata_message', [n], two, { extra: { batchMetadata: [odd, []] } }),
  gold('metadata_message_repeated', [n], two, { extra: { batchMetadata: [repeated, [{ key: 'last', value: '' }]] } }),
  gold('metadata_message_bytes', [n], two, { extra: { batchMetadata: [[], bytes] } }),
  gold('metadata_message_after_dictionary', [dictionary('d', 0, utf8)], [[[0, 1]], [[2, 1]]], {
    dictionaries: { 0: [field('', utf8), ['a', 'b', 'c']] },
    extra: {
      dictionariesChange: true,
      batchMetadata: [[{ key: 'batch', value: '0' }], [{ key: 'batch', value: '1' }]],
      dictionaryMetadata: [{ key: 'of', value: 'the dictionary' }],
      messages: ['schema', 'dictionary 0', 'batch', 'dictionary 0 delta', 'batch'],
    },
    written: { windows: { 0: [2, 3].map((end) => [0, end] as const) } },
  }),
  gold('metadata_schema_message', [n], two, {
    metadata: [{ key: 'on', value: 'the schema' }],
    extra: { schemaMessageMetadata: [{ key: 'on', value: 'the message' }, ...odd] },
    written: { formats: ['stream'] },
  }),
  gold('metadata_footer', [n], two, { extra: { footerMetadata: odd }, written: { formats: ['file'] } }),
  gold('metadata_footer_repeated', [n], two, {
    metadata: [{ key: 'k', value: 'of the schema' }],
    extra: { footerMetadata: repeated, batchMetadata: [[{ key: 'k', value: 'of the batch' }], []] },
    written: { formats: ['file'] },
  }),
  gold('metadata_footer_bytes', [n], [], { extra: { footerMetadata: bytes }, written: { formats: ['file'] } }),
];

function extended(extension: string, of: JsonField, text: string): JsonField {
  const entries = [
    { key: 'ARROW:extension:metadata', value: text },
    { key: 'ARROW:extension:name', value: extension },
  ];
  return { ...of, metadata: [...(of.metadata ?? []), ...entries] };
}

function tensorParts(item: JsonType): JsonField[] {
  return [list('data', field('item', item)), fixedList('shape', field('item', int(32)), 2)];
}

const needed = { nullable: false };
const variant = [field('metadata', plain('binary'), needed), field('value', plain('binary'), needed)];
const stamp = [field('timestamp', timestamp('MICROSECOND', 'UTC'), needed), field('offset_minutes', int(16), needed)];

const extensions: readonly GoldDefinition[] = [
  gold(
    'extension_fixed_shape_tensor',
    [
      extended(
        'arrow.fixed_shape_tensor',
        fixedList('t', field('item', int(32)), 6),
        '{"shape":[2,3],"permutation":[1,0],"dim_names":["x","y"]}',
      ),
    ],
    [[[[1, 2, 3, 4, 5, 6], null]]],
  ),
  gold(
    'extension_variable_shape_tensor',
    [
      extended(
        'arrow.variable_shape_tensor',
        struct('t', tensorParts(float('SINGLE'))),
        '{"dim_names":["h","w"],"uniform_shape":[null,2]}',
      ),
    ],
    [
      [
        [
          [
            [1, 2, 3, 4],
            [2, 2],
          ],
          [[], [0, 2]],
          null,
        ],
      ],
    ],
  ),
  gold(
    'extension_json',
    ['utf8', 'largeutf8', 'utf8view'].map((type) => extended('arrow.json', field(type, plain(type)), '')),
    [
      [
        ['{"a":1}', null],
        ['[]', '9007199254740993'],
        ['"a text of some length"', 'null'],
      ],
    ],
  ),
  gold(
    'extension_uuid',
    [extended('arrow.uuid', field('id', { name: 'fixedsizebinary', byteWidth: 16 }), '')],
    [[['00112233445566778899AABBCCDDEEFF', null]]],
  ),
  gold(
    'extension_opaque',
    [
      extended('arrow.opaque', field('o', plain('null')), '{"type_name":"geometry","vendor_name":"PostGIS"}'),
      extended('arrow.opaque', list('p', field('item', int(8))), '{"type_name":"bits","vendor_name":"x"}'),
    ],
    [
      [
        [null, null],
        [[1], null],
      ],
    ],
  ),
  gold('extension_bool8', [extended('arrow.bool8', field('b', int(8)), '')], [[[0, 1, null, -128]]]),
  gold(
    'extension_parquet_variant',
    [extended('arrow.parquet.variant', struct('v', variant), '')],
    [[[['010000', '0C07'], null]]],
  ),
  gold(
    'extension_timestamp_with_offset',
    [extended('arrow.timestamp_with_offset', struct('t', stamp), '')],
    [[[['1700000000000001', -90], null, [0, 840]]]],
  ),
  gold(
    'extension_unknown_nested',
    [
      list('l', extended('example.point', struct('item', [field('x', int(8))]), 'any\0thing')),
      dictionary('d', 0, utf8, { metadata: extended('example.colour', field('', utf8), '').metadata }),
    ],
    [
      [
        [[[1], null], []],
        [0, null],
      ],
    ],
    { dictionaries: { 0: [field('', utf8), ['red']] } },
  ),
];

export const metadataCases: readonly GoldDefinition[] = [...metadata, ...extensions];
