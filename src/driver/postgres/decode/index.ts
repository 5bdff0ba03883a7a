export { builtinTypes } from './builtin.ts';
export type { PgColumnInput } from './column-input.ts';
export { type PgBinaryOptions, type PgBinaryReader, type PgBinarySource, pgBinaryToArrow } from './copy-file.ts';
export type { DecimalShape, DecodeOptions, InfinityPolicy } from './option.ts';
export type { PgAttribute, PgColumn, PgType, PgTypes } from './type.ts';
