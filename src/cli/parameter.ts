import { nearest } from '../adbc/nearest.ts';
import type { Parameter, Parameters } from '../adbc/parameter.ts';
import { makeColumn } from '../arrow/column/make.ts';
import { Field } from '../arrow/schema.ts';
import type { FloatType } from '../arrow/type.ts';
import { usageError } from './failure.ts';

const isoDate = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

/** How the text of a parameter becomes its value, by the name of the type; throws the words for what it wanted. */
const types: Readonly<Record<string, (text: string) => Parameter>> = {
  text: (text) => text,
  int: (text) => (/^[+-]?\d+$/.test(text) ? wholeNumber(text.replace('+', '')) : fail('a whole number')),
  float: (text) =>
    float64(/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?Infinity$|^NaN$/i.test(text) ? finite(text) : fail('a number')),
  bool: (text) => text === 'true' || (text !== 'false' && fail('true or false')),
  timestamp: (text) => {
    const date = new Date(isoDate.test(text) ? text : Number.NaN);
    return Number.isNaN(date.getTime()) || !isDayOfMonth(text)
      ? fail('an ISO date such as 2001-02-03 or 2001-02-03T04:05:06Z')
      : date;
  },
  hex: (text) =>
    /^([0-9a-f]{2})*$/i.test(text) ? Uint8Array.from(Buffer.from(text, 'hex')) : fail('pairs of hex digits'),
  null: (text) => (text === '' ? null : fail('nothing after the =')),
};

function fail(wanted: string): never {
  throw new TypeError(wanted);
}

/** A number where it is exact, which a source may bind in the width that a function wants. */
function wholeNumber(text: string): Parameter {
  const value = Number(text);
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? value : BigInt(text);
}

/** Infinity only by its name. */
function finite(text: string): number {
  const value = Number(text);
  return Number.isFinite(value) || /^[+-]?(Infinity|NaN)$/i.test(text) ? value : fail('a number within float64');
}

/** `Date` makes the 30th of February the 2nd of March. */
function isDayOfMonth(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** A plain whole number would be bound as int64. */
function float64(value: number): Parameter {
  const type: FloatType = { kind: 'float', bitWidth: 64 };
  return makeColumn(new Field('', type), { type, length: 1, nullCount: 0, values: Float64Array.of(value) });
}

/**
 * The values of `--param`: `VALUE` or `:TYPE=VALUE` by position, `NAME=VALUE` or `NAME:TYPE=VALUE` by name. Without a type
 * a value is text. Throws usage errors, also when both ways are mixed.
 */
export function parseParameters(texts: readonly string[]): Parameters {
  const positional: Parameter[] = [];
  const named: [string, Parameter][] = [];
  for (const text of texts) {
    const [, name = '', type, value] = /^([A-Za-z_]\w*)?(?::(\w+))?=(.*)$/s.exec(text) ?? [];
    if (value === undefined) positional.push(text);
    else if (name === '') positional.push(convert(text, type ?? 'text', value));
    else if (named.some(([other]) => other === name)) throw usageError(`--param ${name} is given twice`);
    else named.push([name, convert(text, type ?? 'text', value)]);
  }
  if (positional.length > 0 && named.length > 0) {
    throw usageError(
      `parameters go by position or by name, not both: ${positional.length} have no name, and ${named[0]?.[0]} is one`,
      'a value by position that holds an = is written with one before it: --param "=a=b"',
    );
  }
  return named.length > 0 ? Object.fromEntries(named) : positional;
}

function convert(given: string, type: string, value: string): Parameter {
  const parse = Object.hasOwn(types, type) ? types[type] : undefined;
  if (parse === undefined) {
    const names = Object.keys(types);
    const near = nearest(type, names);
    throw usageError(
      `--param ${JSON.stringify(given)}: no type ${JSON.stringify(type)}`,
      near === undefined ? `one of ${names.join(', ')}` : `did you mean ${near}?`,
    );
  }
  try {
    return parse(value);
  } catch (error) {
    throw usageError(`--param ${JSON.stringify(given)}: ${type} takes ${(error as Error).message}`);
  }
}
