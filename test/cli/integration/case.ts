/** One column of an integration file: its field, and what it holds in each of the batches. */
export interface CaseColumn {
  readonly field: Record<string, unknown>;
  readonly batches: ReadonlyArray<Record<string, unknown>>;
}

/** The text of an integration file of these columns; `dictionaries` as the format has them. */
export function integrationFile(columns: readonly CaseColumn[], extra: Record<string, unknown> = {}): string {
  const batchCount = columns[0]?.batches.length ?? 0;
  return JSON.stringify({
    schema: { fields: columns.map(({ field }) => ({ nullable: true, children: [], ...field })) },
    batches: Array.from({ length: batchCount }, (_, i) => ({
      count: columns[0]?.batches[i]?.count,
      columns: columns.map(({ field, batches }) => ({ name: field.name, ...batches[i] })),
    })),
    ...extra,
  });
}

const int32 = { name: 'int', bitWidth: 32, isSigned: true };
const utf8 = { name: 'utf8' };

/** A field with its children, by name and type. */
function field(name: string, type: object, children: readonly object[] = []): Record<string, unknown> {
  return { name, type, nullable: true, children };
}

/** Two batches, of two rows and one, with a column of each family of types. */
export const manyTypes: readonly CaseColumn[] = [
  {
    field: { ...field('i', int32), metadata: [{ key: 'k', value: 'v' }] },
    batches: [
      { count: 2, VALIDITY: [1, 0], DATA: [1, 7] },
      { count: 1, VALIDITY: [1], DATA: [3] },
    ],
  },
  {
    field: field('u64', { name: 'int', bitWidth: 64, isSigned: false }),
    batches: [
      { count: 2, VALIDITY: [1, 1], DATA: ['18446744073709551615', '0'] },
      { count: 1, VALIDITY: [1], DATA: ['9007199254740993'] },
    ],
  },
  {
    field: field('f', { name: 'floatingpoint', precision: 'DOUBLE' }),
    batches: [
      { count: 2, VALIDITY: [1, 1], DATA: [1.5, 0.123] },
      { count: 1, VALIDITY: [1], DATA: [0.12345] },
    ],
  },
  {
    field: field('s', utf8),
    batches: [
      { count: 2, VALIDITY: [1, 1], OFFSET: [0, 1, 4], DATA: ['a', 'b€'] },
      { count: 1, VALIDITY: [1], OFFSET: [0, 0], DATA: [''] },
    ],
  },
  {
    field: field('x', { name: 'fixedsizebinary', byteWidth: 2 }),
    batches: [
      { count: 2, VALIDITY: [1, 1], DATA: ['00FF', 'ABCD'] },
      { count: 1, VALIDITY: [1], DATA: ['0000'] },
    ],
  },
  {
    field: field('d', { name: 'decimal', precision: 38, scale: 2, bitWidth: 128 }),
    batches: [
      { count: 2, VALIDITY: [1, 1], DATA: ['-99999999999999999999999999999999999999', '12'] },
      { count: 1, VALIDITY: [1], DATA: ['0'] },
    ],
  },
  {
    field: field('b', { name: 'bool' }),
    batches: [
      { count: 2, VALIDITY: [1, 1], DATA: [1, 0] },
      { count: 1, VALIDITY: [1], DATA: [true] },
    ],
  },
  {
    field: field('n', { name: 'interval', unit: 'MONTH_DAY_NANO' }),
    batches: [
      {
        count: 2,
        VALIDITY: [1, 1],
        DATA: [
          { months: 1, days: -2, nanoseconds: '9223372036854775807' },
          { months: 0, days: 0, nanoseconds: 0 },
        ],
      },
      { count: 1, VALIDITY: [1], DATA: [{ months: 0, days: 0, nanoseconds: '-9007199254740993' }] },
    ],
  },
  {
    field: field('l', { name: 'list' }, [field('item', int32)]),
    batches: [
      {
        count: 2,
        VALIDITY: [1, 1],
        OFFSET: [0, 1, 3],
        children: [{ name: 'item', count: 3, VALIDITY: [1, 1, 1], DATA: [1, 2, 3] }],
      },
      { count: 1, VALIDITY: [1], OFFSET: [0, 0], children: [{ name: 'item', count: 0, VALIDITY: [], DATA: [] }] },
    ],
  },
  {
    field: field('r', { name: 'struct' }, [field('a', int32), field('b', utf8)]),
    batches: [
      {
        count: 2,
        VALIDITY: [1, 1],
        children: [
          { name: 'a', count: 2, VALIDITY: [1, 1], DATA: [1, 2] },
          { name: 'b', count: 2, VALIDITY: [1, 0], OFFSET: [0, 1, 1], DATA: ['q', ''] },
        ],
      },
      {
        count: 1,
        VALIDITY: [0],
        children: [
          { name: 'a', count: 1, VALIDITY: [1], DATA: [9] },
          { name: 'b', count: 1, VALIDITY: [1], OFFSET: [0, 1], DATA: ['z'] },
        ],
      },
    ],
  },
  {
    field: field('m', { name: 'union', mode: 'DENSE', typeIds: [5, 9] }, [field('i', int32), field('s', utf8)]),
    batches: [
      {
        count: 2,
        TYPE_ID: [9, 5],
        OFFSET: [0, 0],
        children: [
          { name: 'i', count: 1, VALIDITY: [1], DATA: [4] },
          { name: 's', count: 1, VALIDITY: [1], OFFSET: [0, 1], DATA: ['u'] },
        ],
      },
      {
        count: 1,
        TYPE_ID: [5],
        OFFSET: [0],
        children: [
          { name: 'i', count: 1, VALIDITY: [0], DATA: [0] },
          { name: 's', count: 0, VALIDITY: [], OFFSET: [0], DATA: [] },
        ],
      },
    ],
  },
  {
    field: { ...field('c', utf8), dictionary: { id: 3, indexType: { ...int32, bitWidth: 8 }, isOrdered: false } },
    batches: [
      { count: 2, VALIDITY: [1, 1], DATA: [1, 0] },
      { count: 1, VALIDITY: [0], DATA: [0] },
    ],
  },
];

/** The dictionaries of {@link manyTypes}. */
export const manyDictionaries = [
  {
    id: 3,
    data: { count: 2, columns: [{ name: 'c', count: 2, VALIDITY: [1, 1], OFFSET: [0, 1, 3], DATA: ['x', 'yy'] }] },
  },
];
