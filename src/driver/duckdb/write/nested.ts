import { getBit, setBit } from '../../../arrow/bitmap.ts';
import type { Column } from '../../../arrow/column.ts';
import type { Field } from '../../../arrow/schema.ts';
import type { FixedSizeListType, UnionType } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import type { NativeVector } from '../read/native.ts';
import { valueError } from './failure.ts';
import { takeColumn } from './take.ts';
import type { WriteTarget } from './target.ts';
import { valuesPerRow } from './type.ts';
import { repeatBits, writeValidity } from './validity.ts';

/** Values that the lists of one vector may have: DuckDB ends the process over memory that it cannot get for them. */
const maxListedValues = 2 ** 28;

/** Lists, and maps as lists of entries: offset and length a row, and the child's values of all rows. */
export function writeList(
  target: WriteTarget,
  vector: NativeVector,
  field: Field,
  column: Column,
  validity: Uint8Array | null,
): void {
  const { binding, path } = target;
  const { length, layout, type } = column;
  const offsets = layout.offsets ?? new Int32Array(length + 1);
  const first = Number(offsets[0]);
  const last = Number(offsets[length]);
  const child = listedValues(target, field, column, offsets).slice(first, last);
  const entries = new Float64Array(length * 2);
  const words = new Int32Array(entries.buffer);
  for (let i = 0; i < length; i++) {
    if (validity !== null && !getBit(validity, i)) continue;
    const start = Number(offsets[i]) - first;
    words[i * 4] = start;
    words[i * 4 + 2] = Number(offsets[i + 1]) - first - start;
  }
  if (type.kind === 'map') checkKeys(child, path);
  binding.list_vector_reserve(vector, child.length);
  binding.list_vector_set_size(vector, child.length);
  binding.copy_data_to_vector(vector, 0, entries.buffer, 0, entries.byteLength);
  target.write(target, binding.list_vector_get_child(vector), field, child, null);
}

/** The child of a list whose offsets rise inside of it, and which is not longer than a vector can be made. */
function listedValues(
  { path }: WriteTarget,
  field: Field,
  column: Column,
  offsets: Int32Array | BigInt64Array,
): Column {
  const child = childOf(column, 0);
  for (let i = 0; i < column.length; i++) {
    const start = Number(offsets[i]);
    const end = Number(offsets[i + 1]);
    if (start < 0 || end < start || end > child.length) {
      throw valueError(path, 'the list', `is in values ${start} to ${end} of ${child.length}`);
    }
  }
  const count = Number(offsets[column.length]) - Number(offsets[0]);
  if (count * valuesPerRow(field.type) <= maxListedValues) return child;
  throw valueError(
    path,
    `${column.length} lists of ${count} values`,
    `are more than ${maxListedValues} values at once`,
  );
}

function checkKeys(entries: Column, path: string): void {
  const keys = childOf(entries, 0);
  const nullValues = keys.layout.dictionary?.nullCount ?? 0;
  let nulls = entries.nullCount + keys.nullCount;
  for (let i = 0; nullValues > 0 && nulls === 0 && i < keys.length; i++) if (keys.at(i) === null) nulls++;
  if (nulls === 0) return;
  throw new RecurveError('INVALID_DATA', `column ${path} has a map with a null key, which DuckDB does not have`);
}

/** Fixed-size lists: the child's values only. */
export function writeArray(
  target: WriteTarget,
  vector: NativeVector,
  type: FixedSizeListType,
  column: Column,
  validity: Uint8Array | null,
): void {
  const mask = validity === null ? null : repeatBits(validity, column.length, type.listSize);
  const child = childOf(column, 0).slice(0, column.length * type.listSize);
  target.write(target, target.binding.array_vector_get_child(vector), type.child, child, mask);
}

/** Structs: a null struct is a struct of nulls in DuckDB. */
export function writeStruct(
  target: WriteTarget,
  vector: NativeVector,
  fields: readonly Field[],
  column: Column,
  validity: Uint8Array | null,
): void {
  fields.forEach((field, i) => {
    const inner = { ...target, path: `${target.path}.${field.name}` };
    const child = childOf(column, i).slice(0, column.length);
    target.write(inner, target.binding.struct_vector_get_child(vector, i), field, child, validity);
  });
}

/** Unions: a struct of the active member's position and of all members, null but for the active one. */
export function writeUnion(
  target: WriteTarget,
  vector: NativeVector,
  type: UnionType,
  column: Column,
  validity: Uint8Array | null,
): void {
  const { binding, path } = target;
  const { length, layout } = column;
  const typeIds = layout.values as Int8Array;
  const tags = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    if (validity !== null && !getBit(validity, i)) continue;
    const tag = type.typeIds.indexOf(typeIds[i] ?? -1);
    if (tag < 0) throw valueError(path, `the union's type id ${typeIds[i]}`, `is none of ${type.typeIds.join(', ')}`);
    tags[i] = tag;
  }
  const tagVector = binding.struct_vector_get_child(vector, 0);
  writeValidity(binding, tagVector, validity, length);
  binding.copy_data_to_vector(tagVector, 0, tags.buffer, 0, length);
  type.children.forEach((field, tag) => {
    const child = childOf(column, tag);
    const active = new Uint8Array((length + 7) >>> 3);
    const positions = new Int32Array(length).fill(-1);
    for (let i = 0; i < length; i++) {
      if (tags[i] !== tag || (validity !== null && !getBit(validity, i))) continue;
      setBit(active, i);
      const position = layout.offsets === undefined ? i : Number(layout.offsets[i]);
      if (position < 0 || position >= child.length) {
        throw valueError(path, 'the value', `is at ${position} of the ${child.length} values of ${field.name}`);
      }
      positions[i] = position;
    }
    const aligned = type.mode === 'dense' ? takeColumn(field, child, positions) : child.slice(0, length);
    target.write(target, binding.struct_vector_get_child(vector, tag + 1), field, aligned, active);
  });
}

function childOf(column: Column, index: number): Column {
  const child = column.layout.children?.[index];
  if (child === undefined) throw new RecurveError('INTERNAL', `a ${column.type.kind} column has no child ${index}`);
  return child;
}
