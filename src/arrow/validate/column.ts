import { bitmapByteLength, countOnes } from '../bitmap.ts';
import { type Column, wordsPerValue } from '../column.ts';
import type { Field } from '../schema.ts';
import { byteWidth, childFields, type DataType, type MapType, rowsPerRow } from '../type.ts';
import { checkPrecision } from './decimal.ts';
import { checkIndices } from './dictionary.ts';
import { checkListViews } from './list-view.ts';
import { checkOffsetEnds, checkOffsetOrder } from './offset.ts';
import { type Place, placeInside, refuse } from './place.ts';
import { checkRunOrder, checkRuns } from './run-end.ts';
import { checkText } from './text.ts';
import { checkUnion } from './union.ts';
import { checkViews } from './view.ts';

/**
 * How closely columns are looked at, each level including those before it.
 *
 * - `none`: not at all. A reader still never leaves the bytes that it was given.
 * - `minimal`: buffers and children are as long as the column needs; no buffer is read.
 * - `default`: first and last offsets too, and that keys of maps are not null. The time does not depend on the rows.
 * - `full`: every value once, as Arrow C++ does in `ValidateFull`: order of offsets, UTF-8 of every text, null counts,
 *   indices, type ids, precision of decimals. Under a null nothing is looked at but offsets. Unlike there, a time past
 *   midnight or a date64 with a time of day is no fault: both are read as they stand.
 */
export type ValidationLevel = 'none' | 'minimal' | 'default' | 'full';

/** Throws INVALID_DATA for the first fault of a column that a level finds, children before what refers to them. */
export function checkColumn(field: Field, column: Column, level: ValidationLevel, place: Place): void {
  const { type } = field;
  checkLengths(type, column, place);
  childFields(type).forEach((child, i) => {
    const values = column.layout.children?.[i];
    if (values === undefined) refuse(place, `child ${i} is missing`);
    checkColumn(child, values, level, placeInside(place, child.name));
  });
  if (level === 'minimal') return;
  checkEnds(type, column, place);
  if (level !== 'default') checkValues(type, column, place);
}

function checkLengths(type: DataType, { layout, length, validity, bitOffset }: Column, place: Place): void {
  const { values, offsets, sizes, buffers, children } = layout;
  const want = (name: string, has: number, needed: number): void => {
    if (has < needed) refuse(place, `${name} of ${has}, where ${length} rows need ${needed}`);
  };
  if (validity !== null) want('validity bytes', validity.length, bitmapByteLength(bitOffset + length));
  if (type.kind === 'bool') want('value bytes', values?.length ?? 0, bitmapByteLength(bitOffset + length));
  else if (byteWidth(type) !== undefined || type.kind === 'union' || buffers !== undefined) {
    want('values', values?.length ?? 0, length * wordsPerValue(type, values ?? new Uint8Array()));
  }
  if (sizes !== undefined || (type.kind === 'union' && type.mode === 'dense')) {
    want('offsets', offsets?.length ?? 0, length);
  } else if (hasOffsets(type)) want('offsets', offsets?.length ?? 0, length + 1);
  if (sizes !== undefined) want('sizes', sizes.length, length);
  const perRow = rowsPerRow(type) ?? 0;
  for (const child of children ?? []) want('a child', child.length, length * perRow);
}

function hasOffsets({ kind }: DataType): boolean {
  return kind === 'utf8' || kind === 'binary' || kind === 'list' || kind === 'map';
}

function checkEnds(type: DataType, column: Column, place: Place): void {
  switch (type.kind) {
    case 'utf8':
    case 'binary':
      checkOffsetEnds(column, column.layout.data?.length ?? 0, place);
      break;
    case 'map':
      checkKeys(type, column, place);
      checkOffsetEnds(column, column.layout.children?.[0]?.length ?? 0, place);
      break;
    case 'list':
      checkOffsetEnds(column, column.layout.children?.[0]?.length ?? 0, place);
      break;
    case 'run-end-encoded':
      checkRuns(column, place);
      break;
  }
}

/** Neither an entry nor the key of one may be null ("Map", Schema.fbs). */
function checkKeys(type: MapType, { layout }: Column, place: Place): void {
  const entries = layout.children?.[0];
  const keys = entries?.layout.children?.[0];
  for (const part of [entries, keys]) {
    if (part === undefined || part.nullCount === 0) continue;
    let row = 0;
    while (part.isValid(row)) row++;
    refuse(placeInside(place, type.child.name), `${part === keys ? 'the key' : 'an entry'} of a map is null`, row);
  }
}

function checkValues(type: DataType, column: Column, place: Place): void {
  checkNullCount(column, place);
  const { layout } = column;
  if (layout.buffers !== undefined) checkViews(column, type.kind === 'utf8-view', place);
  if (layout.sizes !== undefined) checkListViews(column, place);
  if (type.kind === 'run-end-encoded') checkRunOrder(column, place);
  switch (type.kind) {
    case 'utf8':
      checkOffsetOrder(column, place);
      checkText(column, place);
      break;
    case 'binary':
    case 'list':
    case 'map':
      checkOffsetOrder(column, place);
      break;
    case 'decimal':
      checkPrecision(type, column, place);
      break;
    case 'dictionary':
      checkIndices(type, column, place);
      break;
    case 'union':
      checkUnion(type, column, place);
      break;
  }
}

function checkNullCount({ layout, validity, bitOffset, length }: Column, place: Place): void {
  const { nullCount = -1 } = layout;
  if (validity === null || nullCount < 0) return;
  const nulls = length - countOnes(validity, bitOffset, length);
  if (nulls !== nullCount) {
    refuse(place, `the validity bitmap has ${nulls} nulls, the metadata say ${nullCount}`, undefined, validity);
  }
}
