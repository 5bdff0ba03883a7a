import { Column } from '../arrow/column.ts';
import { RecurveError } from '../error.ts';
import { describe } from './options.ts';

/**
 * A value for a parameter. Numbers that are whole and safe bind as int64, others as float64; bigints as int64 or, where
 * they do not fit, as the source's widest integer; strings as text; Dates as a timestamp with zone in UTC;
 * bytes as binary. A {@link Column} of one value binds as that value with that Arrow type.
 */
export type Parameter = null | undefined | boolean | number | bigint | string | Date | Uint8Array | Column;

/** By position, or by name without the source's prefix (`$`, `:`, `@`). */
export type Parameters = readonly Parameter[] | Readonly<Record<string, Parameter>>;

/**
 * A copy of the parameters that a caller gave, once each is known to be a {@link Parameter}. Whether they fit the
 * statement is for the driver to say. Throws INVALID_ARGUMENT naming the parameter, never its value, which may be secret.
 */
export function readParameters(parameters: Parameters | undefined): Parameters {
  if (parameters === undefined) return [];
  if (Array.isArray(parameters)) {
    const list: readonly Parameter[] = [...parameters];
    list.forEach((value, i) => {
      check(`${i + 1}`, value);
    });
    return list;
  }
  if (!isRecord(parameters)) {
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `parameters must be an array, or an object of names and values, not ${typeof parameters === 'object' ? describe(parameters) : `a ${typeof parameters}`}`,
    );
  }
  const named = { ...parameters };
  for (const [name, value] of Object.entries(named)) check(JSON.stringify(name), value);
  return named;
}

function isRecord(value: unknown): value is Readonly<Record<string, Parameter>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Of any realm: what has no prototype but the last one is a plain object.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function check(name: string, value: unknown): void {
  const at = `parameter ${name}`;
  if (value === null || value === undefined || value instanceof Uint8Array) return;
  if (['boolean', 'number', 'bigint', 'string'].includes(typeof value)) return;
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new RecurveError('INVALID_ARGUMENT', `${at} is an invalid Date`);
    return;
  }
  if (value instanceof Column) {
    if (value.length === 1) return;
    throw new RecurveError('INVALID_ARGUMENT', `${at} is a column of ${value.length} values, but must have 1`);
  }
  throw new RecurveError('INVALID_ARGUMENT', `${at} is ${describe(value)}, which no Arrow type stands for`, {
    hint: 'give null, a boolean, number, bigint, string, Date, Uint8Array or an Arrow column of one value; options are the argument after the parameters',
  });
}
