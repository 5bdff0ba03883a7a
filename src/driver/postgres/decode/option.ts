import { RecurveError } from '../../../error.ts';

/** How values that Arrow's types cannot take as they are shall come. The schema depends on these and the types, never on values. */
export interface DecodeOptions {
  /**
   * What a `numeric` without declared precision becomes, as `sum` and `avg` give it, and one of more than 76 digits:
   * `text` (utf8, every digit as the server prints it), `double` (the nearest one), or a decimal of this precision and
   * scale, where a value that does not fit exactly is INVALID_DATA. Default `text`: the only one that holds every value.
   */
  readonly numeric?: 'text' | 'double' | DecimalShape;
  /**
   * For infinity and what is out of range: dates, times (24:00:00), timestamps, intervals, and NaN and Infinity in a
   * decimal column. `error` is INVALID_DATA; `null` makes it NULL; `clamp` takes the last value of the Arrow type on that
   * side (NaN has none: an error). Default `error`: a value is never replaced in silence.
   */
  readonly infinity?: InfinityPolicy;
  /** `text`: arrays as the text that the server makes of them, which it must be asked for: {@link needsText}. Default `list`. */
  readonly arrays?: 'list' | 'text';
  /** Dimensions of an array where the column does not say. Default 1. An array of others is INVALID_DATA. */
  readonly arrayDimensions?: number;
  /** What to do with lower bounds other than 1, which Arrow has not: INVALID_DATA, or drop them. Default `error`. */
  readonly arrayBounds?: 'error' | 'drop';
  /**
   * Digits of `money` behind the point, which its bytes do not tell (`lc_monetary` of the server does): gives decimal128(19,
   * scale). Default: the number of smallest units, as int64.
   */
  readonly moneyScale?: number | undefined;
}

export type InfinityPolicy = 'error' | 'null' | 'clamp';

/** Of a decimal: at most 76 digits, `scale` of them behind the point. */
export interface DecimalShape {
  readonly precision: number;
  readonly scale: number;
}

/** The options with their defaults. */
export type FullDecodeOptions = { readonly [K in keyof Required<DecodeOptions>]: DecodeOptions[K] } & {
  readonly numeric: NonNullable<DecodeOptions['numeric']>;
  readonly infinity: InfinityPolicy;
  readonly arrays: 'list' | 'text';
  readonly arrayDimensions: number;
  readonly arrayBounds: 'error' | 'drop';
};

/** Checks the options and adds the defaults. Throws INVALID_ARGUMENT naming the option. */
export function readDecodeOptions(given: DecodeOptions): FullDecodeOptions {
  const { numeric = 'text', infinity = 'error', arrays = 'list', arrayBounds = 'error', moneyScale } = given;
  const { arrayDimensions = 1 } = given;
  if (typeof numeric === 'object') {
    checkCount('numeric precision', numeric.precision, 1, 76);
    checkCount('numeric scale', numeric.scale, -1000, 1000);
  } else {
    checkOneOf('numeric', numeric, ['text', 'double']);
  }
  checkOneOf('infinity', infinity, ['error', 'null', 'clamp']);
  checkOneOf('arrays', arrays, ['list', 'text']);
  checkOneOf('arrayBounds', arrayBounds, ['error', 'drop']);
  checkCount('arrayDimensions', arrayDimensions, 1, 6);
  if (moneyScale !== undefined) checkCount('moneyScale', moneyScale, 0, 18);
  return { numeric, infinity, arrays, arrayBounds, arrayDimensions, moneyScale };
}

function checkOneOf(name: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  const message = `option ${name}: ${JSON.stringify(value)} is none of ${allowed.join(', ')}`;
  throw new RecurveError('INVALID_ARGUMENT', message);
}

function checkCount(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RecurveError('INVALID_ARGUMENT', `option ${name}: ${value} is no whole number from ${min} to ${max}`);
}

const textOptions: Readonly<Record<string, (value: string) => DecodeOptions>> = {
  numeric: (value) => ({ numeric: readNumeric(value) }),
  infinity: (value) => ({ infinity: value as InfinityPolicy }),
  arrays: (value) => ({ arrays: value as 'list' | 'text' }),
  arrayDimensions: (value) => ({ arrayDimensions: Number(value) }),
  arrayBounds: (value) => ({ arrayBounds: value as 'error' | 'drop' }),
  moneyScale: (value) => ({ moneyScale: Number(value) }),
};

/** Names of the options, as they also stand in a URI. */
export const decodeOptionNames: readonly string[] = Object.keys(textOptions);

/** The options of texts such as `numeric=decimal(38,10)`; other names are passed over. Throws INVALID_ARGUMENT naming the option. */
export function parseDecodeOptions(texts: ReadonlyMap<string, string>): DecodeOptions {
  let options: DecodeOptions = {};
  for (const [name, value] of texts) options = { ...options, ...textOptions[name]?.(value) };
  return readDecodeOptions(options);
}

function readNumeric(value: string): NonNullable<DecodeOptions['numeric']> {
  const [, precision, scale = '0'] = /^decimal\(\s*(\d+)\s*(?:,\s*(-?\d+)\s*)?\)$/.exec(value) ?? [];
  if (precision !== undefined) return { precision: Number(precision), scale: Number(scale) };
  return value as 'text' | 'double';
}
