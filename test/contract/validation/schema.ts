import {
  binary,
  bool,
  childFields,
  type DataType,
  date32,
  date64,
  decimal32,
  decimal64,
  decimal128,
  decimal256,
  duration,
  Field,
  fixedSizeBinary,
  float16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  interval,
  largeBinary,
  largeList,
  largeUtf8,
  list,
  nullType,
  Schema,
  struct,
  time32,
  time64,
  timestamp,
  typeToString,
  uint8,
  uint16,
  uint32,
  uint64,
  utf8,
} from 'recurve/arrow';

/** A field as the cases write it: its type as a string of Arrow's C data interface ("Data type description"). */
interface JsonField {
  readonly name?: string;
  readonly format: string;
  readonly flags?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly children?: readonly JsonField[];
}

/** The schema of a part. */
export function parseSchema(text: string): Schema {
  const top = JSON.parse(text) as JsonField;
  if (top.format !== '+s') throw new Error(`a schema must have the format "+s", not ${JSON.stringify(top.format)}`);
  return new Schema((top.children ?? []).map(toField));
}

function toField({ name = '', format, flags = [], metadata, children = [] }: JsonField): Field {
  return new Field(name, toType(format, children.map(toField)), { nullable: flags.includes('nullable'), metadata });
}

const plain: Readonly<Record<string, () => DataType>> = {
  n: nullType,
  b: bool,
  c: int8,
  C: uint8,
  s: int16,
  S: uint16,
  i: int32,
  I: uint32,
  l: int64,
  L: uint64,
  e: float16,
  f: float32,
  g: float64,
  z: binary,
  Z: largeBinary,
  u: utf8,
  U: largeUtf8,
  tdD: date32,
  tdm: date64,
  tts: () => time32('s'),
  ttm: () => time32('ms'),
  ttu: () => time64('us'),
  ttn: () => time64('ns'),
  tDs: () => duration('s'),
  tDm: () => duration('ms'),
  tDu: () => duration('us'),
  tDn: () => duration('ns'),
  tin: () => interval('month-day-nano'),
};

const decimals: Readonly<Record<string, (precision: number, scale: number) => DataType>> = {
  32: decimal32,
  64: decimal64,
  128: decimal128,
  256: decimal256,
};

const units = { s: 's', m: 'ms', u: 'us', n: 'ns' } as const;

/** Why a case cannot be run with the types that there are. */
export class UnknownFormat extends Error {}

function toType(format: string, children: readonly Field[]): DataType {
  const simple = plain[format]?.();
  if (simple !== undefined) return simple;
  const [, precision, scale, bits = '128'] = /^d:(\d+),(-?\d+)(?:,(\d+))?$/.exec(format) ?? [];
  const makeDecimal = decimals[bits];
  if (precision !== undefined && makeDecimal !== undefined) return makeDecimal(Number(precision), Number(scale));
  const [, width] = /^w:(\d+)$/.exec(format) ?? [];
  if (width !== undefined) return fixedSizeBinary(Number(width));
  const [, unit, zone] = /^ts([smun]):(.*)$/.exec(format) ?? [];
  if (unit !== undefined) return timestamp(units[unit as keyof typeof units], zone === '' ? null : zone);
  const [child] = children;
  if (format === '+s') return struct(children);
  if (format === '+l' && child !== undefined) return list(child);
  if (format === '+L' && child !== undefined) return largeList(child);
  throw new UnknownFormat(`the Arrow format ${JSON.stringify(format)} is none of recurve's types`);
}

const extensionKeys = ['ARROW:extension:name', 'ARROW:extension:metadata'];

/**
 * How `actual` differs from `expected`, or undefined: columns by number, order and name, types, extensions. Nullability does
 * not count at the top and on the children of a struct there; metadata may hold more than is asked for.
 */
export function differenceOf(actual: Schema, expected: Schema): string | undefined {
  const names = [actual, expected].map((schema) => JSON.stringify(schema.names));
  if (names[0] !== names[1]) return `columns ${names[0]}, expected ${names[1]}`;
  for (const [i, field] of expected.fields.entries()) {
    const difference = fieldDifference(actual.field(i), field, 0);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function fieldDifference(actual: Field, expected: Field, depth: number): string | undefined {
  const at = `column ${JSON.stringify(expected.name)}`;
  if (shape(actual.type) !== shape(expected.type)) {
    return `${at} is ${typeToString(actual.type)}, expected ${typeToString(expected.type)}`;
  }
  if (depth > 1 && actual.nullable !== expected.nullable) return `${at} is nullable: ${actual.nullable}`;
  for (const [key, value] of expected.metadata) {
    if (actual.metadata.get(key) !== value) return `${at} has ${key} ${actual.metadata.get(key)}, expected ${value}`;
  }
  for (const key of extensionKeys) {
    const value = actual.metadata.get(key);
    if (expected.metadata.get(key) === undefined && value !== undefined && value !== '')
      return `${at} has ${key} ${value}`;
  }
  const children = childFields(actual.type);
  for (const [i, child] of childFields(expected.type).entries()) {
    const own = children[i];
    if (own === undefined) return `${at} lacks its child ${i}`;
    const difference = fieldDifference(own, child, expected.type.kind === 'struct' ? depth + 1 : 2);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** A type without its children, which are compared by themselves. */
function shape(type: DataType): string {
  return JSON.stringify(type, (key, value: unknown) =>
    key === 'child' || key === 'children' ? undefined : typeof value === 'bigint' ? `${value}` : value,
  );
}
