import {
  bool,
  type DataType,
  date32,
  decimal128,
  field,
  float64,
  int32,
  int64,
  interval,
  list,
  Schema,
  struct,
  time64,
  timestamp,
  utf8,
} from 'recurve/arrow';

interface Sample {
  readonly type: DataType;
  /** DuckDB's name of the type. */
  readonly sqlType: string;
  /** At the end of a range, or one that a double or a Date would change. */
  readonly value: unknown;
  /** What DuckDB prints for it; left out where that needs an extension of DuckDB's. */
  readonly text?: string;
}

/** A column of each type that goes from recurve to DuckDB and back. */
export const samples: Readonly<Record<string, Sample>> = {
  b: { type: bool(), sqlType: 'BOOLEAN', value: true, text: 'true' },
  i: { type: int32(), sqlType: 'INTEGER', value: -2147483648, text: '-2147483648' },
  l: { type: int64(), sqlType: 'BIGINT', value: 9223372036854775807n, text: '9223372036854775807' },
  f: { type: float64(), sqlType: 'DOUBLE', value: -0.1, text: '-0.1' },
  t: { type: utf8(), sqlType: 'VARCHAR', value: 'grüße 🦆', text: 'grüße 🦆' },
  price: { type: decimal128(9, 2), sqlType: 'DECIMAL(9,2)', value: '-1234567.89', text: '-1234567.89' },
  wide: {
    type: decimal128(38, 10),
    sqlType: 'DECIMAL(38,10)',
    value: '1234567890123456789012345678.0123456789',
    text: '1234567890123456789012345678.0123456789',
  },
  day: { type: date32(), sqlType: 'DATE', value: 19_000, text: '2022-01-08' },
  clock: { type: time64('us'), sqlType: 'TIME', value: 86_399_999_999n, text: '23:59:59.999999' },
  seconds: { type: timestamp('s'), sqlType: 'TIMESTAMP_S', value: 1_700_000_001n, text: '2023-11-14 22:13:21' },
  millis: {
    type: timestamp('ms'),
    sqlType: 'TIMESTAMP_MS',
    value: 1_700_000_000_123n,
    text: '2023-11-14 22:13:20.123',
  },
  micros: {
    type: timestamp('us'),
    sqlType: 'TIMESTAMP',
    value: 1_700_000_000_123_456n,
    text: '2023-11-14 22:13:20.123456',
  },
  nanos: {
    type: timestamp('ns'),
    sqlType: 'TIMESTAMP_NS',
    value: 1_700_000_000_123_456_789n,
    text: '2023-11-14 22:13:20.123456789',
  },
  instant: {
    type: timestamp('us', 'UTC'),
    sqlType: 'TIMESTAMP WITH TIME ZONE',
    value: -62_135_596_799_999_999n,
  },
  span: {
    type: interval('month-day-nano'),
    sqlType: 'INTERVAL',
    value: { months: 14, days: -3, nanoseconds: 3_723_000_004_000n },
    text: '1 year 2 months -3 days 01:02:03.000004',
  },
  items: {
    // Children under the names that DuckDB gives them.
    type: list(field('l', int32())),
    sqlType: 'INTEGER[]',
    value: [1, null, 3],
    text: '[1, NULL, 3]',
  },
  parts: {
    type: struct({ x: int32(), y: utf8() }),
    sqlType: 'STRUCT(x INTEGER, y VARCHAR)',
    value: { x: 7, y: 'seven' },
    text: "{'x': 7, 'y': seven}",
  },
};

export const schema: Schema = new Schema(Object.entries(samples).map(([name, { type }]) => field(name, type)));

/** The samples, and a row of nulls. */
export const rows: ReadonlyArray<Record<string, unknown>> = [
  Object.fromEntries(Object.entries(samples).map(([name, { value }]) => [name, value])),
  Object.fromEntries(Object.keys(samples).map((name) => [name, null])),
];

/** Rows as they leave a page, which is as JSON: a bigint is text with an `n` behind it. */
export function toPlainRows(values: readonly unknown[]): unknown[] {
  const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value);
  return JSON.parse(
    JSON.stringify(values, (key, value) =>
      ArrayBuffer.isView(value) ? [...(value as Uint8Array)] : plain(key, value),
    ),
  );
}
