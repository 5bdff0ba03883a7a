import { isUtf8 } from 'node:buffer';
import type { RecordBatch } from '../../arrow/batch.ts';
import { countOnes } from '../../arrow/bitmap.ts';
import type { Column } from '../../arrow/column.ts';
import { valuesField } from '../../arrow/ipc/dictionary.ts';
import type { Field } from '../../arrow/schema.ts';
import { childFields, type DictionaryType, type MapType, type UnionType } from '../../arrow/type.ts';
import { RecurveError } from '../../error.ts';

/** Reads every value of a batch once; keeps which dictionaries it has seen. */
export class ValueCheck {
  readonly #dictionaries = new WeakSet<Column>();

  /** Throws INVALID_DATA with place, column and row for the first value that the format does not allow. */
  check(batch: RecordBatch, place: string): void {
    batch.schema.fields.forEach((field, i) => {
      const column = batch.columns[i];
      if (column !== undefined) this.#column(field, column, { place, path: JSON.stringify(field.name), unit: 'row' });
    });
  }

  #column(field: Field, column: Column, where: Where): void {
    const { type } = field;
    checkNulls(column, where);
    switch (type.kind) {
      case 'utf8':
      case 'binary':
        checkOffsets(column, where);
        if (type.kind === 'utf8') checkUtf8(column, where);
        break;
      case 'decimal':
        checkPrecision(column, type.precision, where);
        break;
      case 'dictionary':
        checkIndices(column, where);
        this.#dictionary(type, column, where);
        break;
      case 'union':
        checkUnion(type, column, where);
        break;
      case 'map':
        checkKeys(type, column, where);
        break;
    }
    childFields(type).forEach((child, i) => {
      const values = column.layout.children?.[i];
      const path = `${where.path}.${JSON.stringify(child.name)}`;
      if (values !== undefined) this.#column(child, values, { place: where.place, path, unit: 'value' });
    });
  }

  #dictionary(type: DictionaryType, column: Column, { place, path }: Where): void {
    const { dictionary } = column.layout;
    if (dictionary === undefined || this.#dictionaries.has(dictionary)) return;
    this.#dictionaries.add(dictionary);
    this.#column(valuesField(type), dictionary, { place, path: `${path}, dictionary ${type.id}`, unit: 'value' });
  }
}

/** For errors: which message, which column, and what its positions count. */
interface Where {
  readonly place: string;
  readonly path: string;
  readonly unit: 'row' | 'value';
}

function fail({ place, path, unit }: Where, row: number | undefined, what: string): never {
  const at = row === undefined ? '' : `, ${unit} ${row}`;
  throw new RecurveError('INVALID_DATA', `${place}: column ${path}${at}: ${what}`);
}

function checkNulls({ layout, validity, bitOffset, length }: Column, where: Where): void {
  if (validity === null || layout.nullCount === undefined || layout.nullCount < 0) return;
  const nulls = length - countOnes(validity, bitOffset, length);
  if (nulls !== layout.nullCount) {
    fail(where, undefined, `the validity bitmap has ${nulls} nulls, the metadata say ${layout.nullCount}`);
  }
}

function checkOffsets({ layout, length }: Column, where: Where): void {
  const { offsets, data } = layout;
  if (offsets === undefined) return;
  let last = Number(offsets[0]);
  for (let i = 1; i <= length; i++) {
    const next = Number(offsets[i]);
    if (next < last) fail(where, i - 1, `its end ${next} is before its start ${last}`);
    if (next > (data?.length ?? 0))
      fail(where, i - 1, `its end ${next} is beyond the ${data?.length ?? 0} bytes of data`);
    last = next;
  }
}

/** All at once first; value by value only when that fails, since under a null anything may stand. */
function checkUtf8(column: Column, where: Where): void {
  const { offsets, data = new Uint8Array(0) } = column.layout;
  if (offsets === undefined) return;
  const at = (i: number): number => Number(offsets[i]);
  let isSplit = false;
  for (let i = 0; i <= column.length && !isSplit; i++) isSplit = ((data[at(i)] ?? 0) & 0xc0) === 0x80;
  if (!isSplit && isUtf8(data.subarray(at(0), at(column.length)))) return;
  for (let i = 0; i < column.length; i++) {
    if (column.isValid(i) && !isUtf8(data.subarray(at(i), at(i + 1)))) fail(where, i, 'the text is not UTF-8');
  }
}

function checkPrecision(column: Column, precision: number, where: Where): void {
  for (let i = 0; i < column.length; i++) {
    const value = column.at(i);
    if (value === null) continue;
    const digits = String(value)
      .replaceAll(/[^0-9]/g, '')
      .replace(/^0+/, '').length;
    if (digits > precision) fail(where, i, `${value} has ${digits} digits, more than the precision ${precision}`);
  }
}

function checkIndices(column: Column, where: Where): void {
  const { values, dictionary } = column.layout;
  const size = dictionary?.length ?? 0;
  for (let i = 0; i < column.length; i++) {
    const index = Number(values?.[i]);
    if ((index < 0 || index >= size) && column.isValid(i)) {
      fail(where, i, `index ${index} is outside of the dictionary of ${size} values`);
    }
  }
}

function checkUnion({ typeIds, mode }: UnionType, { layout, length }: Column, where: Where): void {
  const { values, offsets, children = [] } = layout;
  const last = new Float64Array(typeIds.length);
  for (let i = 0; i < length; i++) {
    const id = Number(values?.[i]);
    const member = typeIds.indexOf(id);
    if (member < 0) fail(where, i, `type id ${id} is none of ${typeIds.join(', ')}`);
    if (mode === 'sparse') continue;
    const offset = Number(offsets?.[i]);
    const size = children[member]?.length ?? 0;
    if (offset < 0 || offset >= size)
      fail(where, i, `offset ${offset} is outside of the ${size} values of member ${id}`);
    if (offset < (last[member] ?? 0)) fail(where, i, `offset ${offset} comes after ${last[member]} of member ${id}`);
    last[member] = offset;
  }
}

function checkKeys(type: MapType, { layout }: Column, where: Where): void {
  const keys = layout.children?.[0]?.layout.children?.[0];
  if (keys === undefined || type.child.type.kind !== 'struct' || keys.nullCount === 0) return;
  for (let i = 0; i < keys.length; i++) {
    if (!keys.isValid(i)) fail({ ...where, unit: 'value' }, i, 'the key of a map is null');
  }
}
