import { RecurveError } from '../../error.ts';
import { RecordBatch } from '../batch.ts';
import { makeColumn } from '../column/make.ts';
import type { Column, Values } from '../column.ts';
import type { Field } from '../schema.ts';
import { Table } from '../table.ts';
import { childFields, type DictionaryType, typeToString } from '../type.ts';
import { planBody } from './column-writer.ts';
import { concatColumns } from './concat-nested.ts';
import { hasDictionary, valuesField, visitDictionaries } from './dictionary.ts';
import { dictionaryBytes } from './dictionary-bytes.ts';
import type { BatchesOfSchema } from './table.ts';
import { valuesClass } from './values-class.ts';

/**
 * The same batches with one dictionary for all of them under each id, as a file needs it: values in the order in which they
 * come first, none twice, indices to match. What needs no change is not copied.
 *
 * Throws INVALID_ARGUMENT when the values are more than the index type can count, or for an index outside of its dictionary.
 */
export function unifyDictionaries({ schema, batches }: BatchesOfSchema): Table {
  const types = new Map<bigint, DictionaryType>();
  for (const field of schema.fields) visitDictionaries(field.type, (type) => types.set(type.id, type));
  let rows = batches.map((batch) => batch.columns);
  // Inner ones come first, so that equal values of an outer one have equal indices.
  for (const type of types.values()) {
    const replaceAll = (replace: (field: Field, column: Column) => Column): void => {
      const done = new Map<Column, Column>();
      rows = rows.map((columns) =>
        columns.map((column, i) => replaceDictionaries(schema.field(i), column, type.id, replace, done)),
      );
    };
    const union = new DictionaryUnion(type);
    replaceAll((_, column) => {
      union.add(column.layout.dictionary as Column);
      return column;
    });
    if (!union.isOne) replaceAll((field, column) => union.rewrite(field, column));
  }
  return new Table(
    schema,
    batches.map(({ numRows, metadata }, i) => new RecordBatch(schema, rows[i] ?? [], numRows, metadata)),
  );
}

/** A column in which `replace` has made the dictionary columns of one id; `done` are the dictionaries that were looked into. */
function replaceDictionaries(
  field: Field,
  column: Column,
  id: bigint,
  replace: (field: Field, column: Column) => Column,
  done: Map<Column, Column>,
): Column {
  const { type } = field;
  const { layout } = column;
  if (!hasDictionary(type)) return column;
  if (type.kind !== 'dictionary') {
    const children = childFields(type).map((child, i) =>
      replaceDictionaries(child, layout.children?.[i] as Column, id, replace, done),
    );
    return children.every((child, i) => child === layout.children?.[i])
      ? column
      : makeColumn(field, { ...layout, children });
  }
  if (type.id === id) return replace(field, column);
  const values = layout.dictionary as Column;
  const dictionary = done.get(values) ?? replaceDictionaries(valuesField(type), values, id, replace, done);
  done.set(values, dictionary);
  return dictionary === values ? column : makeColumn(field, { ...layout, dictionary });
}

/** Dictionaries of one id on their way to be one. */
class DictionaryUnion {
  readonly #field: Field;
  readonly #type: DictionaryType;
  readonly #positions = new Map<unknown, number>();
  /** Where the values of each dictionary are in the one. */
  readonly #places = new Map<Column, Int32Array>();
  readonly #parts: Column[] = [];
  #whole: Column | undefined;

  constructor(type: DictionaryType) {
    this.#type = type;
    this.#field = valuesField(type);
  }

  get isOne(): boolean {
    return this.#places.size < 2;
  }

  add(dictionary: Column): void {
    if (this.#places.has(dictionary)) return;
    const { length } = dictionary;
    const places = new Int32Array(length);
    const positions = this.#positions;
    let run = 0;
    for (let i = 0; i < length; i++) {
      const key = this.#key(dictionary, i);
      const known = positions.get(key);
      places[i] = known ?? positions.size;
      if (known === undefined) {
        positions.set(key, positions.size);
        continue;
      }
      if (run < i) this.#parts.push(dictionary.slice(run, i));
      run = i + 1;
    }
    if (run < length) this.#parts.push(dictionary.slice(run));
    this.#places.set(dictionary, places);
  }

  /** The column with indices into the one dictionary. */
  rewrite(field: Field, column: Column): Column {
    this.#whole ??= concatColumns(this.#field, this.#parts);
    const type = this.#type;
    const { bitWidth, signed } = type.index;
    if (this.#whole.length > 2 ** (bitWidth - (signed ? 1 : 0))) {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `dictionary ${type.id} has ${this.#whole.length} values in all, more than its index type ${typeToString(type.index)} can count`,
      );
    }
    const places = this.#places.get(column.layout.dictionary as Column) ?? [];
    const indices = column.layout.values as Values;
    const IndexArray = valuesClass(type);
    const values = new IndexArray(new ArrayBuffer(indices.length * IndexArray.BYTES_PER_ELEMENT), 0, indices.length);
    for (let i = 0; i < indices.length; i++) {
      if (!column.isValid(i)) continue;
      const place = places[Number(indices[i])];
      if (place === undefined) {
        const name = JSON.stringify(field.name);
        throw new RecurveError('INVALID_ARGUMENT', `column ${name} has index ${indices[i]}, outside of its dictionary`);
      }
      values[i] = bitWidth === 64 ? BigInt(place) : place;
    }
    return makeColumn(field, { ...column.layout, values, dictionary: this.#whole });
  }

  /** What equal values have in common and others have not. */
  #key(dictionary: Column, i: number): unknown {
    if (!dictionary.isValid(i)) return null;
    const { kind } = this.#field.type;
    if (kind === 'int') return dictionary.at(i);
    if (kind === 'utf8') {
      const text = dictionary.at(i) as string;
      // Stands for bytes that are no UTF-8, which are not the same for that.
      if (!text.includes('\ufffd')) return text;
    }
    const one = dictionary.slice(i, i + 1);
    const { buffers } = dictionaryBytes(one, planBody([this.#field], [one], 1, 8));
    return `\ufffd${buffers.map((bytes) => `${bytes.length}:${bytes}`)}`;
  }
}
