import type { Parameter, Parameters } from '../../adbc/parameter.ts';
import { Column } from '../../arrow/column.ts';
import { RecurveError } from '../../error.ts';
import { encodeColumnValue } from './encode/parameter.ts';
import type { WireParameter } from './wire/message-writer.ts';

const oids = { bool: 16, bytea: 17, int8: 20, float8: 701, numeric: 1700, timestamptz: 1184 } as const;
const maxInt8 = 2n ** 63n - 1n;
/** Of a Bind message, which counts them in 16 bits. */
const maxParameters = 65_535;

/**
 * Parameters as they are sent: whole numbers as int8, others as float8, bigints as int8 or numeric, Dates as timestamptz, bytes as
 * bytea, Arrow values by their type. Strings go as text without a type, so that the server takes them for what it expects:
 * `date = $1`. With `loose` whole numbers do too, for functions that have no int8 form.
 *
 * Throws INVALID_ARGUMENT for names, which PostgreSQL's parameters do not have.
 */
export function encodeParameters(
  parameters: Parameters,
  { loose = false }: { readonly loose?: boolean } = {},
): WireParameter[] {
  if (!isList(parameters)) {
    const [name] = Object.keys(parameters);
    if (name === undefined) return [];
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `there is no parameter ${JSON.stringify(name)}: PostgreSQL's have no names`,
      {
        hint: 'write $1, $2 … and give an array',
      },
    );
  }
  if (parameters.length > maxParameters) {
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `${parameters.length} parameters: a statement takes ${maxParameters} at most`,
      {
        hint: 'give arrays, e.g. = ANY ($1), or ingest the values into a table',
      },
    );
  }
  return parameters.map((value) => encode(value, loose));
}

/** Whether {@link encodeParameters} would send something else when `loose`. */
export function hasWholeNumber(parameters: Parameters): boolean {
  return Object.values(parameters).some((value) => typeof value === 'bigint' || Number.isSafeInteger(value));
}

function isList(parameters: Parameters): parameters is readonly Parameter[] {
  return Array.isArray(parameters);
}

function encode(value: Parameter, loose: boolean): WireParameter {
  if (value === null || value === undefined) return { oid: 0, format: 0, bytes: null };
  if (typeof value === 'string') return text(0, value);
  if (typeof value === 'boolean') return { oid: oids.bool, format: 1, bytes: Uint8Array.of(value ? 1 : 0) };
  if (typeof value === 'bigint') {
    if (loose) return text(0, String(value));
    return value > maxInt8 || value < -maxInt8 - 1n ? text(oids.numeric, String(value)) : int64(oids.int8, value);
  }
  if (typeof value === 'number') {
    // Minus zero is no integer's value.
    const isWhole = Number.isSafeInteger(value) && !Object.is(value, -0);
    if (isWhole) return loose ? text(0, String(value)) : int64(oids.int8, BigInt(value));
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value);
    return { oid: oids.float8, format: 1, bytes };
  }
  if (value instanceof Date) {
    // Microseconds since 2000-01-01, as all of PostgreSQL's timestamps.
    return int64(oids.timestamptz, BigInt(value.getTime() - 946_684_800_000) * 1000n);
  }
  if (value instanceof Column) return encodeColumnValue(value);
  return { oid: oids.bytea, format: 1, bytes: value };
}

function text(oid: number, value: string): WireParameter {
  if (value.includes('\0')) {
    throw new RecurveError('INVALID_DATA', 'a parameter holds a zero character, which no text of PostgreSQL can', {
      hint: 'give bytes for a bytea',
    });
  }
  return { oid, format: 0, bytes: new TextEncoder().encode(value) };
}

function int64(oid: number, value: bigint): WireParameter {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value);
  return { oid, format: 1, bytes };
}
