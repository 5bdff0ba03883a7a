import type { Field } from '../schema.ts';
import { unitsPerSecond } from '../temporal.ts';
import type { IntType, TimeType, TimeUnit } from '../type.ts';
import { findExtension, type ValueExtension } from '../value.ts';
import { BigIntBuilder } from './bigint.ts';
import { BinaryBuilder, FixedSizeBinaryBuilder } from './binary.ts';
import { BoolBuilder, NullBuilder } from './bool.ts';
import type { Builder } from './builder.ts';
import { DecimalBuilder } from './decimal.ts';
import { DictionaryBuilder } from './dictionary.ts';
import { IntervalBuilder } from './interval.ts';
import { FixedSizeListBuilder, ListBuilder, MapBuilder } from './list.ts';
import { FloatBuilder, IntBuilder, type IntRange } from './number.ts';
import { RunEndEncodedBuilder } from './run-end.ts';
import { StructBuilder } from './struct.ts';
import { TextBuilder } from './text.ts';
import { UnionBuilder } from './union.ts';
import { ViewBuilder } from './view.ts';

/**
 * A builder for a field's column. What `append` takes, besides null and undefined for null:
 *
 * | Arrow | JavaScript |
 * |---|---|
 * | null | nothing else |
 * | bool | boolean |
 * | int8 to uint32 | number or bigint: whole and in range |
 * | int64, uint64 | bigint in range, or a number that is a safe integer |
 * | float16 to float64 | number; a narrow type rounds, but a finite number must stay finite |
 * | decimal | text (`-12.50`, `1e3`), bigint (the whole number) or number (by its shortest text); never rounded |
 * | utf8, utf8 view | string, without half surrogate pairs |
 * | binary, binary view, fixed-size binary | Uint8Array, of the width; for `arrow.uuid` also text |
 * | date32 | days as number or bigint, or a Date at midnight UTC |
 * | date64 | milliseconds of whole days as bigint or number, or a Date at midnight UTC |
 * | time32, time64 | a count in the unit, number or bigint, from 0 to below 24 hours |
 * | timestamp | a count in the unit, bigint or safe integer, or a Date (its UTC reading where the type has no zone) |
 * | duration, interval of months | a count |
 * | other intervals | {@link MonthDayNano}, {@link DayTime} |
 * | list, list view, fixed-size list | array or typed array, of the length |
 * | map | Map, array of `[key, value]`, or a plain object where keys are text |
 * | struct | object without other properties than the children's; missing ones are null |
 * | union | {@link UnionValue} |
 * | run-end encoded | what its values take |
 * | dictionary | what its value type takes |
 */
export function makeBuilder(field: Field, options: BuildOptions = {}): Builder {
  const make = (field: Field, parent?: Builder): Builder => {
    const builder = create(field, make, parent);
    const extension = field.type.kind === 'dictionary' ? undefined : findExtension(field, options.extensions);
    if (extension !== undefined) builder.encode = extension.writer(field);
    return builder;
  };
  return make(field);
}

/** How values are taken. */
export interface BuildOptions {
  /** Extension types whose own values are taken, as `defineExtension` says, in place of their storage's. Default: none. */
  readonly extensions?: readonly ValueExtension[] | undefined;
}

function create(field: Field, make: (field: Field, parent?: Builder) => Builder, parent?: Builder): Builder {
  const { type } = field;
  switch (type.kind) {
    case 'null':
      return new NullBuilder(field, parent);
    case 'bool':
      return new BoolBuilder(field, parent);
    case 'int':
      if (type.bitWidth === 64) return new BigIntBuilder(field, { signed: type.signed }, parent);
      return new IntBuilder(field, intRange(type), parent);
    case 'float':
      return new FloatBuilder(field, type.bitWidth, parent);
    case 'decimal':
      return new DecimalBuilder(field, type, parent);
    case 'utf8':
      return new TextBuilder(field, type, parent);
    case 'binary':
      return new BinaryBuilder(field, type, parent);
    case 'utf8-view':
      return new ViewBuilder(field, 'utf8', parent);
    case 'binary-view':
      return new ViewBuilder(field, 'binary', parent);
    case 'fixed-size-binary':
      return new FixedSizeBinaryBuilder(field, type, parent);
    case 'date':
      if (type.unit === 'day')
        return new IntBuilder(field, { ...int32Range, fromDate: (date) => date.getTime() / dayMs }, parent);
      return new BigIntBuilder(
        field,
        { signed: true, step: BigInt(dayMs), fromDate: (date) => toUnit(date, 'ms') },
        parent,
      );
    case 'time':
      return makeTime(field, type, parent);
    case 'timestamp':
      return new BigIntBuilder(field, { signed: true, fromDate: (date) => toUnit(date, type.unit) }, parent);
    case 'duration':
      return new BigIntBuilder(field, { signed: true }, parent);
    case 'interval':
      if (type.unit === 'year-month') return new IntBuilder(field, int32Range, parent);
      return new IntervalBuilder(field, type.unit, parent);
    case 'list':
    case 'list-view':
      return new ListBuilder(field, type, make, parent);
    case 'fixed-size-list':
      return new FixedSizeListBuilder(field, type, make, parent);
    case 'map':
      return new MapBuilder(field, type, make, parent);
    case 'struct':
      return new StructBuilder(field, type, make, parent);
    case 'union':
      return new UnionBuilder(field, type, make, parent);
    case 'run-end-encoded':
      return new RunEndEncodedBuilder(field, type, make, parent);
    case 'dictionary':
      return new DictionaryBuilder(field, type, make, parent);
  }
}

const dayMs = 86_400_000;
const int32Range: IntRange = { make: Int32Array, min: -(2 ** 31), max: 2 ** 31 - 1 };

function intRange({ bitWidth, signed }: IntType): IntRange {
  const max = 2 ** (signed ? bitWidth - 1 : bitWidth) - 1;
  const min = signed ? -max - 1 : 0;
  switch (bitWidth) {
    case 8:
      return { make: signed ? Int8Array : Uint8Array, min, max };
    case 16:
      return { make: signed ? Int16Array : Uint16Array, min, max };
    default:
      return { make: signed ? Int32Array : Uint32Array, min, max };
  }
}

function makeTime(field: Field, { unit }: TimeType, parent: Builder | undefined): Builder {
  // Schema.fbs, Time: 0 up to, but not including, 24 hours; no leap seconds.
  const max = 86400 * unitsPerSecond[unit] - 1;
  if (unit === 's' || unit === 'ms') return new IntBuilder(field, { make: Int32Array, min: 0, max }, parent);
  return new BigIntBuilder(field, { signed: true, min: 0n, max: BigInt(max) }, parent);
}

/** A Date as a count in a unit; undefined for no date and for one with milliseconds that whole seconds would lose. */
function toUnit(date: Date, unit: TimeUnit): bigint | undefined {
  const count = unit === 's' ? date.getTime() / 1000 : date.getTime();
  if (!Number.isInteger(count)) return undefined;
  return unit === 'us' ? BigInt(count) * 1000n : unit === 'ns' ? BigInt(count) * 1_000_000n : BigInt(count);
}
