import type { ValueExtension } from '../value.ts';
import { bool8Extension, jsonExtension, opaqueExtension, uuidExtension } from './scalar.ts';
import { fixedShapeTensorExtension, variableShapeTensorExtension } from './tensor.ts';
import { timestampWithOffsetExtension } from './timestamp.ts';
import { parquetVariantExtension } from './variant.ts';

/** All canonical extension types (CanonicalExtensions.rst), for the option `extensions`. A bundle that names it has them all. */
export const canonicalExtensions: readonly ValueExtension[] = [
  bool8Extension,
  fixedShapeTensorExtension,
  jsonExtension,
  opaqueExtension,
  parquetVariantExtension,
  timestampWithOffsetExtension,
  uuidExtension,
  variableShapeTensorExtension,
];
