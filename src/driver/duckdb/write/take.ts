import { bitmapByteLength, getBit, setBit } from '../../../arrow/bitmap.ts';
import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column, ColumnLayout, Values } from '../../../arrow/column.ts';
import { Field } from '../../../arrow/schema.ts';
import { byteWidth, childFields } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import { valueError } from './failure.ts';

/** Positions have 32 bits. */
const maxPosition = 0x7fff_ffff;
/** Bytes of text that one vector's values may have. */
const maxTakenBytes = 2 ** 32 - 1;
/** Values that the lists of one vector may have. */
const maxTakenValues = 2 ** 28;

function positionError(field: Field, position: number, { length }: Column): RecurveError {
  return valueError(JSON.stringify(field.name), 'the value', `is at ${position} of ${length} values`);
}

/**
 * The values that a dictionary column's indices point at, as a plain column. Throws INVALID_DATA for an index that is outside
 * of the dictionary.
 */
export function takeDictionary(field: Field, column: Column): Column {
  const { length, layout, type } = column;
  const { dictionary } = layout;
  if (dictionary === undefined || type.kind !== 'dictionary')
    throw new RecurveError('INTERNAL', 'no dictionary column');
  const indices = layout.values as Values;
  const positions = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const position = column.isValid(i) ? Number(indices[i]) : -1;
    // Before it is narrowed: of 64 bits the lower half might be an index that there is.
    if (column.isValid(i) && !(position >= 0 && position < dictionary.length && position <= maxPosition)) {
      throw positionError(field, position, dictionary);
    }
    positions[i] = position;
  }
  return takeColumn(new Field(field.name, type.value, { metadata: field.metadata }), dictionary, positions);
}

/**
 * A column of the values at `positions`, in their order; a position of −1 gives null, where the type has nulls of its own.
 * Throws INVALID_DATA for a position outside of the column.
 */
export function takeColumn(field: Field, column: Column, positions: Int32Array): Column {
  const { layout, type } = column;
  const { length } = positions;
  const validity = new Uint8Array(bitmapByteLength(length));
  for (let i = 0; i < length; i++) {
    const position = positions[i] ?? -1;
    if (position >= column.length || position < -1) throw positionError(field, position, column);
    if (position >= 0 && column.isValid(position)) setBit(validity, i);
  }
  const plain = { type, length, validity, bitOffset: 0 };
  const fields = childFields(type);
  const children = layout.children ?? [];
  const takeChildren = (at: Int32Array): Column[] =>
    children.map((child, i) => takeColumn(fields[i] ?? field, child, at));
  switch (type.kind) {
    case 'null':
      return makeColumn(field, { type, length });
    case 'bool':
      return makeColumn(field, {
        ...plain,
        values: takeBits(layout.values as Uint8Array, column.bitOffset, positions),
      });
    case 'utf8':
    case 'binary':
      return makeColumn(field, { ...plain, ...takeBytes(field, layout, positions) });
    case 'list':
    case 'map': {
      const { offsets, at } = expandLists(field, layout, positions);
      return makeColumn(field, { ...plain, offsets, children: takeChildren(at) });
    }
    case 'fixed-size-list':
      return makeColumn(field, { ...plain, children: takeChildren(expandArrays(positions, type.listSize)) });
    case 'struct':
      return makeColumn(field, { ...plain, children: takeChildren(positions) });
    case 'union': {
      const values = takeFixed(layout.values as Values, 1, positions);
      // Zero need not be one of the ids.
      for (let i = 0; i < length; i++) if (positions[i] === -1) values[i] = type.typeIds[0] ?? 0;
      if (type.mode === 'sparse') return makeColumn(field, { type, length, values, children: takeChildren(positions) });
      const offsets = takeFixed(layout.offsets as Int32Array, 1, positions) as Int32Array;
      return makeColumn(field, { type, length, values, offsets, children });
    }
    case 'dictionary':
      return takeDictionary(
        field,
        makeColumn(field, {
          ...plain,
          values: takeFixed(layout.values as Values, 1, positions),
          ...(layout.dictionary && { dictionary: layout.dictionary }),
        }),
      );
    default: {
      const values = layout.values as Values;
      const perValue = (byteWidth(type) ?? values.BYTES_PER_ELEMENT) / values.BYTES_PER_ELEMENT;
      return makeColumn(field, { ...plain, values: takeFixed(values, perValue, positions) });
    }
  }
}

function takeBits(bits: Uint8Array, bitOffset: number, positions: Int32Array): Uint8Array {
  const taken = new Uint8Array(bitmapByteLength(positions.length));
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] ?? -1;
    if (position >= 0 && getBit(bits, bitOffset + position)) setBit(taken, i);
  }
  return taken;
}

/** Values of `perValue` elements; zeros for a position of −1. */
function takeFixed(values: Values, perValue: number, positions: Int32Array): Values {
  const taken = new (values.constructor as new (length: number) => Values)(positions.length * perValue);
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] ?? -1;
    if (position < 0) continue;
    for (let k = 0; k < perValue; k++) taken[i * perValue + k] = values[position * perValue + k] as never;
  }
  return taken;
}

function takeBytes(
  field: Field,
  layout: ColumnLayout,
  positions: Int32Array,
): { offsets: BigInt64Array; data: Uint8Array } {
  const source = layout.offsets ?? new Int32Array(1);
  const data = layout.data ?? new Uint8Array(0);
  const offsets = new BigInt64Array(positions.length + 1);
  let byteLength = 0;
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] ?? -1;
    if (position >= 0) byteLength += lengthAt(field, source, position, data.length);
    offsets[i + 1] = BigInt(byteLength);
  }
  if (byteLength > maxTakenBytes) throw tooMuch(field, `${byteLength} bytes of text`, maxTakenBytes);
  const taken = new Uint8Array(byteLength);
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] ?? -1;
    if (position >= 0)
      taken.set(data.subarray(Number(source[position]), Number(source[position + 1])), Number(offsets[i]));
  }
  return { offsets, data: taken };
}

/** Offsets of the lists at `positions`, and where their values stand in the child. */
function expandLists(
  field: Field,
  layout: ColumnLayout,
  positions: Int32Array,
): { offsets: Int32Array; at: Int32Array } {
  const source = layout.offsets ?? new Int32Array(1);
  const limit = layout.children?.[0]?.length ?? 0;
  const offsets = new Int32Array(positions.length + 1);
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] ?? -1;
    const end = (offsets[i] ?? 0) + (position < 0 ? 0 : lengthAt(field, source, position, limit));
    if (end > maxTakenValues) throw tooMuch(field, `${end} values in lists`, maxTakenValues);
    offsets[i + 1] = end;
  }
  const at = new Int32Array(offsets[positions.length] ?? 0);
  for (let i = 0; i < positions.length; i++) {
    const first = Number(source[positions[i] ?? 0]);
    const start = offsets[i] ?? 0;
    for (let k = start; k < (offsets[i + 1] ?? 0); k++) at[k] = first + k - start;
  }
  return { offsets, at };
}

/** How long the value at `position` is. Throws INVALID_DATA when its offsets fall, or lie outside of `limit`. */
function lengthAt(field: Field, offsets: Int32Array | BigInt64Array, position: number, limit: number): number {
  const start = Number(offsets[position]);
  const end = Number(offsets[position + 1]);
  if (start >= 0 && end >= start && end <= limit) return end - start;
  throw valueError(JSON.stringify(field.name), 'the value', `is in ${start} to ${end} of ${limit}`);
}

function tooMuch(field: Field, what: string, limit: number): RecurveError {
  return valueError(JSON.stringify(field.name), what, `are more than ${limit} at once`);
}

function expandArrays(positions: Int32Array, listSize: number): Int32Array {
  const at = new Int32Array(positions.length * listSize);
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] ?? -1;
    for (let k = 0; k < listSize; k++) at[i * listSize + k] = position < 0 ? -1 : position * listSize + k;
  }
  return at;
}
