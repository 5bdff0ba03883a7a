import type { DataType, Field, Row, Schema } from 'recurve/arrow';

/** A JSON value whose numbers are as they were written: JSON.parse alone would round integers beyond 2^53. */
type Json = null | boolean | string | NumberText | Json[] | { [key: string]: Json };

class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The rows of a part, a JSON object a line, as `toArray` of a table with this schema gives them. */
export function parseRows(text: string, schema: Schema): Row[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const row = parseJson(line) as { [key: string]: Json };
      const unknown = Object.keys(row).find((key) => schema.indexOf(key) < 0);
      if (unknown !== undefined) throw new Error(`row ${line} has a key that is no column: ${unknown}`);
      return Object.fromEntries(schema.fields.map((field) => [field.name, toValue(field, row[field.name] ?? null)]));
    });
}

function parseJson(line: string): Json {
  // Numbers become texts behind a #, texts stand behind a $.
  const marked = line.replace(/"((?:[^"\\]|\\.)*)"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (whole, text?: string) =>
    text === undefined ? `"#${whole}"` : `"$${text}"`,
  );
  return unmark(JSON.parse(marked));
}

function unmark(value: unknown): Json {
  if (typeof value === 'string') return value.startsWith('#') ? new NumberText(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map(unmark);
  if (typeof value !== 'object' || value === null) return value as null | boolean;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key.slice(1), unmark(child)]));
}

const specialNumbers: Readonly<Record<string, number>> = {
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
  '-infinity': Number.NEGATIVE_INFINITY,
  nan: Number.NaN,
};

function toValue(field: Field, value: Json): unknown {
  if (value === null) return null;
  const { type } = field;
  const number = value instanceof NumberText ? value.text : undefined;
  switch (type.kind) {
    case 'bool':
      if (typeof value === 'boolean') return value;
      break;
    case 'utf8':
      if (typeof value === 'string') return value;
      break;
    case 'binary':
    case 'fixed-size-binary':
      if (typeof value === 'string') return bytesValue(field, new Uint8Array(Buffer.from(value, 'base64')));
      break;
    case 'decimal':
      if (typeof value === 'string') return withScale(value, type.scale);
      break;
    case 'float': {
      const float = number === undefined ? specialNumbers[String(value).toLowerCase()] : Number(number);
      if (float !== undefined) return type.bitWidth === 64 ? float : Math.fround(float);
      break;
    }
    case 'int':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'duration':
      if (number !== undefined && /^-?\d+$/.test(number)) return isWide(type) ? BigInt(number) : Number(number);
      break;
    default:
      break;
  }
  throw new Error(`column ${field.name}: ${JSON.stringify(value)} is no value of ${type.kind}`);
}

/** Whether `toArray` gives a bigint for it. */
function isWide(type: DataType): boolean {
  if (type.kind === 'int') return type.bitWidth === 64;
  if (type.kind === 'date') return type.unit === 'ms';
  if (type.kind === 'time') return type.unit === 'us' || type.unit === 'ns';
  return true;
}

/** UUIDs come as text. */
function bytesValue(field: Field, bytes: Uint8Array): unknown {
  if (field.metadata.get('ARROW:extension:name') !== 'arrow.uuid') return bytes;
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** A decimal text with as many digits behind the point as its type has. */
function withScale(text: string, scale: number): string {
  if (scale <= 0) return text;
  const [whole = '', fraction = ''] = text.split('.');
  return `${whole}.${fraction.padEnd(scale, '0')}`;
}

/** The rows in the order of the case's `sort-keys`, nulls last. */
export function sortRows(rows: readonly Row[], keys: unknown): Row[] {
  if (keys === undefined) return [...rows];
  const sorts = keys as ReadonlyArray<readonly [column: string, order: 'ascending' | 'descending']>;
  return [...rows].sort((a, b) => {
    for (const [column, order] of sorts) {
      const difference = compareValues(a[column], b[column]);
      if (difference !== 0)
        return a[column] === null || b[column] === null || order === 'ascending' ? difference : -difference;
    }
    return 0;
  });
}

function compareValues(a: unknown, b: unknown): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  const [x, y] = [orderable(a), orderable(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Decimals are texts, to be ordered as numbers; booleans too. */
function orderable(value: unknown): number | bigint | string {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value === 'string') return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return Number(value);
}
