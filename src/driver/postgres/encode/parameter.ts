import type { Parameter } from '../../../adbc/parameter.ts';
import { UuidColumn } from '../../../arrow/column/binary.ts';
import { Column } from '../../../arrow/column.ts';
import { uuidField } from '../../../arrow/extension.ts';
import { Field } from '../../../arrow/schema.ts';
import { typeToString } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import type { WireParameter } from '../wire/message-writer.ts';
import { builtin } from './builtin.ts';
import { defaultType } from './default-type.ts';
import { ValueFault } from './fault.ts';
import { makeWriter } from './make.ts';
import { Output } from './output.ts';

/** How {@link encodeParameter} takes what the value alone does not say. */
export interface EncodeParameterOptions {
  /** Names the parameter in errors, e.g. `parameter $1`. */
  readonly what: string;
  /**
   * Whole numbers as int8, or as int4 where they fit: some functions take nothing else, as `substr(text, int4)`. Default `wide`.
   */
  readonly integers?: 'wide' | 'narrow' | undefined;
}

const encoder = new TextEncoder();
const maxInt64 = 2n ** 63n - 1n;
const epochMs = 946_684_800_000;

/**
 * A parameter for Bind: numbers, bigints, truth values, Dates, bytes and Arrow values typed and binary; strings as text without
 * a type, which the server infers from the statement, so that `date = $1` and `uuid = $1` work; null without a type.
 * Throws INVALID_ARGUMENT for what is no value, INVALID_DATA for an Arrow value that its type cannot hold, NOT_IMPLEMENTED
 * for an Arrow type that PostgreSQL does not have. No message holds the value, which may be secret.
 */
export function encodeParameter(value: Parameter, options: EncodeParameterOptions): WireParameter {
  const { what, integers = 'wide' } = options;
  switch (typeof value) {
    case 'undefined':
      return untypedNull;
    case 'boolean':
      return binary('bool', 1, (view) => view.setUint8(0, value ? 1 : 0));
    case 'number':
      // Minus zero is no integer: an integer would lose its sign.
      if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
        return binary('float8', 8, (view) => view.setFloat64(0, value));
      }
      if (integers === 'narrow' && value === (value | 0)) {
        return binary('int4', 4, (view) => view.setInt32(0, value));
      }
      return binary('int8', 8, (view) => view.setBigInt64(0, BigInt(value)));
    case 'bigint':
      if (value <= maxInt64 && value >= -maxInt64 - 1n) return binary('int8', 8, (view) => view.setBigInt64(0, value));
      // Text of this type: it is as long as the server's own limit allows.
      return { oid: builtin('numeric').oid, format: 0, bytes: encoder.encode(`${value}`) };
    case 'string':
      if (/\p{Surrogate}/u.test(value)) throw refused(what, 'holds half of a surrogate pair, which is no text');
      if (value.includes('\0')) throw refused(what, 'holds a zero character, which is no text to PostgreSQL');
      return { oid: 0, format: 0, bytes: encoder.encode(value) };
  }
  if (value === null) return untypedNull;
  if (value instanceof Date) {
    const ms = value.getTime();
    if (Number.isNaN(ms)) throw refused(what, 'is an invalid Date');
    return binary('timestamptz', 8, (view) => view.setBigInt64(0, BigInt(ms - epochMs) * 1000n));
  }
  if (value instanceof Uint8Array) return { oid: builtin('bytea').oid, format: 1, bytes: value };
  if (value instanceof Column) {
    if (value.length === 1) return encodeColumn(value, what);
    throw refused(what, `is a column of ${value.length} values, one is bound`);
  }
  throw refused(what, 'is of a type that cannot be bound');
}

const untypedNull: WireParameter = { oid: 0, format: 0, bytes: null };

function binary(
  name: Parameters<typeof builtin>[0],
  byteLength: number,
  write: (view: DataView) => void,
): WireParameter {
  const bytes = new Uint8Array(byteLength);
  write(new DataView(bytes.buffer));
  return { oid: builtin(name).oid, format: 1, bytes };
}

function encodeColumn(column: Column, what: string): WireParameter {
  if (column.type.kind === 'null') return untypedNull;
  const field = column instanceof UuidColumn ? uuidField(what) : new Field(what, column.type);
  const target = defaultType(field, what);
  const writer = makeWriter(field, target);
  if (writer === undefined) {
    throw new RecurveError('NOT_IMPLEMENTED', `${what} is ${typeToString(column.type)}, which ${target.text} is not`);
  }
  try {
    writer.bind(column);
    const sizes = new Float64Array(1);
    writer.measure(Int32Array.of(0), 1, sizes);
    const out = new Output(sizes[0] ?? 0);
    writer.write(out, Int32Array.of(0), 1);
    return { oid: target.oid, format: 1, bytes: out.view.getInt32(0) < 0 ? null : out.bytes.subarray(4) };
  } catch (error) {
    if (error instanceof ValueFault) throw new RecurveError('INVALID_DATA', `${what}: ${error.message}`);
    throw error;
  }
}

function refused(what: string, why: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `${what} ${why}`);
}
