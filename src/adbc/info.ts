import { RecordBatch } from '../arrow/batch.ts';
import { makeBuilder } from '../arrow/build/make.ts';
import type { UnionValue } from '../arrow/build/union.ts';
import { Field, Schema } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import { bool, int32, int64, list, map, uint32, union, utf8 } from '../arrow/type-factory.ts';
import { RecurveError } from '../error.ts';
import { describe } from './options.ts';

/** ADBC's info codes (`ADBC_INFO_*`), by the names of the JavaScript driver manager. */
export const InfoCode = {
  VendorName: 0,
  VendorVersion: 1,
  VendorArrowVersion: 2,
  VendorSql: 3,
  VendorSubstrait: 4,
  VendorSubstraitMinVersion: 5,
  VendorSubstraitMaxVersion: 6,
  DriverName: 100,
  DriverVersion: 101,
  DriverArrowVersion: 102,
  DriverAdbcVersion: 103,
} as const;
/** See {@link InfoCode}; vendors have codes of their own from 10,000 on. */
export type InfoCode = (typeof InfoCode)[keyof typeof InfoCode];

/** What an info code can stand for: text, a flag, a 64-bit integer, or a list of texts. */
export type InfoValue = string | boolean | bigint | readonly string[];

/** ADBC 1.1.0 as `DriverAdbcVersion` says it. */
export const adbcVersion = 1_001_000n;

/** The schema of `getInfo`'s result (adbc.h, `AdbcConnectionGetInfo`). */
export const infoSchema: Schema = new Schema([
  new Field('info_name', uint32(), { nullable: false }),
  new Field(
    'info_value',
    union('dense', [
      new Field('string_value', utf8()),
      new Field('bool_value', bool()),
      new Field('int64_value', int64()),
      new Field('int32_bitmask', int32()),
      new Field('string_list', list(utf8())),
      new Field(
        'int32_to_int32_list_map',
        map(new Field('key', int32(), { nullable: false }), new Field('value', list(int32()))),
      ),
    ]),
  ),
]);

/** The codes that a caller asks for; undefined for all. Throws INVALID_ARGUMENT for what is no unsigned 32-bit number. */
export function readInfoCodes(codes: readonly number[] | undefined): readonly number[] | undefined {
  if (codes === undefined || codes === null) return undefined;
  if (!Array.isArray(codes)) {
    throw new RecurveError('INVALID_ARGUMENT', `codes is ${describe(codes)}, but must be an array of info codes`);
  }
  for (const code of codes) {
    if (Number.isInteger(code) && code >= 0 && code <= 0xffff_ffff) continue;
    throw new RecurveError('INVALID_ARGUMENT', `info code ${describe(code)} is no whole number from 0 to 4294967295`);
  }
  return [...codes];
}

/** The table of what is known: in the order of `codes`, each once and those that nobody knows left out, or by code. */
export function makeInfoTable(known: ReadonlyMap<number, InfoValue>, codes: readonly number[] | undefined): Table {
  const [nameField, valueField] = infoSchema.fields;
  if (nameField === undefined || valueField === undefined) throw new RecurveError('INTERNAL', 'no fields');
  const names = makeBuilder(nameField);
  const values = makeBuilder(valueField);
  for (const code of new Set(codes ?? [...known.keys()].sort((a, b) => a - b))) {
    const value = known.get(code);
    if (value === undefined) continue;
    names.append(code);
    values.append(toUnion(value));
  }
  return new Table(infoSchema, [new RecordBatch(infoSchema, [names.finish(), values.finish()])]);
}

function toUnion(value: InfoValue): UnionValue {
  if (typeof value === 'string') return { child: 'string_value', value };
  if (typeof value === 'boolean') return { child: 'bool_value', value };
  if (typeof value === 'bigint') return { child: 'int64_value', value };
  return { child: 'string_list', value };
}
