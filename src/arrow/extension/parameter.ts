/** The JSON object that an extension's metadata are. Throws for any other text. */
export function parseObject(metadata: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(metadata);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new TypeError('the metadata are no JSON object');
}

/** Throws when there is a text where the extension has none. */
export function expectEmpty(metadata: string): undefined {
  if (metadata !== '') throw new TypeError('the metadata must be empty');
}

/** Axes of a tensor, by the numbers and names of its physical, row-major layout. */
export interface TensorAxes {
  /** One a dimension. */
  readonly dimNames?: readonly string[] | undefined;
  /** Dimension `i` of the logical tensor is dimension `permutation[i]` of the stored one. */
  readonly permutation?: readonly number[] | undefined;
}

/** The axes that metadata tell, for `ndim` dimensions. Throws for names or a permutation of another length. */
export function parseAxes(found: Readonly<Record<string, unknown>>, ndim: number): TensorAxes {
  const { dim_names: dimNames, permutation } = found;
  const isNames = Array.isArray(dimNames) && dimNames.every((name) => typeof name === 'string');
  if (dimNames !== undefined && !(isNames && dimNames.length === ndim)) {
    throw new TypeError(`dim_names are not ${ndim} texts`);
  }
  const isPermutation =
    Array.isArray(permutation) && permutation.length === ndim && permutation.every((_, i) => permutation.includes(i));
  if (permutation !== undefined && !isPermutation) {
    throw new TypeError(`permutation is none of ${ndim} dimensions`);
  }
  return { ...(isNames && { dimNames }), ...(isPermutation && { permutation }) };
}

/** The metadata's keys for axes. */
export function writeAxes({ dimNames, permutation }: TensorAxes): Readonly<Record<string, unknown>> {
  return { ...(dimNames && { dim_names: dimNames }), ...(permutation && { permutation }) };
}

/** Whole numbers from 0 that 32 bits hold. */
export function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isInteger(size) && size >= 0 && size <= 0x7fff_ffff);
}
