import type { Parameter, Parameters } from '../../adbc/parameter.ts';
import { Column } from '../../arrow/column.ts';
import { RecurveError } from '../../error.ts';
import type { Binding } from './binding.ts';
import { makeValue, type NativeValue } from './parameter-value.ts';
import type { NativePrepared } from './read/native.ts';

/** What to bind. */
export interface BindOptions {
  /** The statement's parameters in order, `"1"`, `"2"` … where they have no names. */
  readonly names: readonly string[];
  readonly parameters: Parameters;
  /** Whole numbers as BIGINT, or as INTEGER where they fit: some functions take nothing else. Default `wide`. */
  readonly integers?: 'wide' | 'narrow' | undefined;
}

/**
 * Binds all parameters of a statement, in place of those bound before: a list by position, a record by name, which counts
 * in upper and lower case alike. True when a whole number could also have been bound as INTEGER.
 *
 * Throws INVALID_ARGUMENT when they do not fit in number or name, and for a value that DuckDB has no type for.
 */
export function bindParameters(
  binding: Binding,
  prepared: NativePrepared,
  { names, parameters, integers = 'wide' }: BindOptions,
): boolean {
  const values = arrange(names, parameters);
  binding.clear_bindings(prepared);
  let canNarrow = false;
  values.forEach((value, i) => {
    const name = names[i] ?? String(i + 1);
    const narrow =
      typeof value === 'number' && Number.isInteger(value) && !Object.is(value, -0) && value === (value | 0);
    canNarrow ||= narrow;
    try {
      const native = narrow && integers === 'narrow' ? binding.create_int32(value) : toValue(binding, value, name);
      binding.bind_value(prepared, i + 1, native);
    } catch (cause) {
      if (RecurveError.is(cause)) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RecurveError('INVALID_ARGUMENT', `parameter $${name} cannot be bound: ${why}`, { cause });
    }
  });
  return canNarrow;
}

function arrange(names: readonly string[], parameters: Parameters): readonly Parameter[] {
  if (isList(parameters)) {
    if (parameters.length === names.length) return parameters;
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `the statement has ${count(names)}, and ${parameters.length} ${parameters.length === 1 ? 'was' : 'were'} given`,
    );
  }
  const given = new Map(Object.entries(parameters).map(([name, value]) => [name.toLowerCase(), { name, value }]));
  if (given.size < Object.keys(parameters).length) {
    throw new RecurveError('INVALID_ARGUMENT', 'two of the given parameters differ in upper and lower case only');
  }
  const values = names.map((name) => {
    const found = given.get(name.toLowerCase());
    given.delete(name.toLowerCase());
    if (found !== undefined) return found.value;
    throw new RecurveError('INVALID_ARGUMENT', `parameter $${name} is not given; the statement has ${count(names)}`);
  });
  const [extra] = given.values();
  if (extra === undefined) return values;
  throw new RecurveError('INVALID_ARGUMENT', `the statement has no parameter $${extra.name}; it has ${count(names)}`);
}

function count(names: readonly string[]): string {
  if (names.length === 0) return 'no parameters';
  return `${names.length} parameter${names.length === 1 ? '' : 's'} (${names.map((name) => `$${name}`).join(', ')})`;
}

function isList(parameters: Parameters): parameters is readonly Parameter[] {
  return Array.isArray(parameters);
}

const maxInt64 = 2n ** 63n - 1n;
const maxHugeint = 2n ** 127n - 1n;
const maxUhugeint = 2n ** 128n - 1n;

function toValue(binding: Binding, value: Parameter, name: string): NativeValue {
  switch (typeof value) {
    case 'undefined':
      return binding.create_null_value();
    case 'boolean':
      return binding.create_bool(value);
    case 'number':
      // Minus zero is no integer: an integer would lose its sign.
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? binding.create_int64(BigInt(value))
        : binding.create_double(value);
    case 'bigint':
      return bigintValue(binding, value, name);
    case 'string':
      return textValue(binding, value, `parameter $${name}`);
  }
  if (value === null) return binding.create_null_value();
  if (value instanceof Date) return dateValue(binding, value, name);
  if (value instanceof Uint8Array) return binding.create_blob(value);
  if (value instanceof Column) {
    if (value.length === 1) return makeValue(binding, value, 0, `parameter $${name}`);
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `parameter $${name} is a column of ${value.length} values, one is bound`,
    );
  }
  throw new RecurveError('INVALID_ARGUMENT', `parameter $${name} is of a type that cannot be bound`);
}

function bigintValue(binding: Binding, value: bigint, name: string): NativeValue {
  if (value <= maxInt64 && value >= -maxInt64 - 1n) return binding.create_int64(value);
  if (value <= maxHugeint && value >= -maxHugeint - 1n) return binding.create_hugeint(value);
  if (value > 0n && value <= maxUhugeint) return binding.create_uhugeint(value);
  const bits = value.toString(2).replace('-', '').length;
  throw new RecurveError('INVALID_ARGUMENT', `parameter $${name} has ${bits} bits, DuckDB's widest integer 128`, {
    hint: 'pass it as text and cast it, e.g. $1::BIGNUM',
  });
}

/** Text as VARCHAR, NULs included. Throws INVALID_ARGUMENT for half of a surrogate pair, which UTF-8 cannot hold. */
function textValue(binding: Binding, text: string, what: string): NativeValue {
  if (!/\p{Surrogate}/u.test(text)) return binding.create_varchar(text);
  throw new RecurveError('INVALID_ARGUMENT', `${what} holds half of a surrogate pair, which is no text`);
}

function dateValue(binding: Binding, value: Date, name: string): NativeValue {
  const ms = value.getTime();
  if (Number.isNaN(ms)) throw new RecurveError('INVALID_ARGUMENT', `parameter $${name} is an invalid Date`);
  return binding.create_timestamp_tz({ micros: BigInt(ms) * 1000n });
}
