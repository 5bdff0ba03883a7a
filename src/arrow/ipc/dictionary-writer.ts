import { RecurveError } from '../../error.ts';
import type { Column } from '../column.ts';
import type { Field, Schema } from '../schema.ts';
import { childFields, type DictionaryType } from '../type.ts';
import { extendsColumn } from './concat.ts';
import { hasDictionary, valuesField } from './dictionary.ts';

/** A `DictionaryBatch` that a record batch needs before it. */
export interface DictionaryUpdate {
  readonly id: bigint;
  readonly field: Field;
  /** What is written: the whole dictionary, or what a delta adds to it. */
  readonly column: Column;
  readonly whole: Column;
  readonly isDelta: boolean;
}

/** Keeps track of which dictionaries a reader of the output has, and tells what it still needs. */
export class DictionaryWriter {
  readonly #fields: ReadonlyArray<readonly [position: number, field: Field]>;
  /** What was sent last under each id. */
  readonly #sent = new Map<bigint, Column>();
  readonly #fixed: boolean;

  /** In a file (`fixed`) a dictionary may grow but not change. */
  constructor(schema: Schema, fixed: boolean) {
    this.#fields = [...schema.fields.entries()].filter(([, field]) => hasDictionary(field.type));
    this.#fixed = fixed;
  }

  /**
   * What must be written before a batch, inner dictionaries first: nothing for a dictionary that is the same `Column` as
   * before; a delta where it grew out of that by deltas that were read; else the whole.
   *
   * Throws INVALID_ARGUMENT when one id stands for two dictionaries, or for a file when a dictionary changed.
   */
  update(columns: readonly (Column | undefined)[]): DictionaryUpdate[] {
    if (this.#fields.length === 0) return [];
    const needed = new Map<bigint, readonly [DictionaryType, Column, string]>();
    for (const [position, field] of this.#fields) collect(field, columns[position], field.name, needed);
    const updates: DictionaryUpdate[] = [];
    for (const [id, [type, column, name]] of needed) {
      const last = this.#sent.get(id);
      if (last === column || (last !== undefined && last.length === 0 && column.length === 0)) continue;
      updates.push(this.#updateOne(type, column, last, name));
    }
    return updates;
  }

  /** Takes these updates as written. */
  commit(updates: readonly DictionaryUpdate[]): void {
    for (const { id, whole } of updates) this.#sent.set(id, whole);
  }

  #updateOne(type: DictionaryType, column: Column, last: Column | undefined, name: string): DictionaryUpdate {
    const field = valuesField(type);
    const whole = { id: type.id, field, column, whole: column, isDelta: false };
    if (last === undefined) return whole;
    if (extendsColumn(column, last) || (this.#fixed && last.length === 0)) {
      return { ...whole, column: column.slice(last.length), isDelta: true };
    }
    if (this.#fixed) {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `dictionary ${type.id} of column ${JSON.stringify(name)} changes between batches, which a file cannot hold`,
        {
          hint: 'write a stream, or let all batches share one dictionary column',
        },
      );
    }
    return whole;
  }
}

function collect(
  field: Field,
  column: Column | undefined,
  name: string,
  needed: Map<bigint, readonly [DictionaryType, Column, string]>,
): void {
  const { type } = field;
  if (type.kind !== 'dictionary') {
    childFields(type).forEach((child, i) => {
      if (hasDictionary(child.type)) collect(child, column?.layout.children?.[i], name, needed);
    });
    return;
  }
  const dictionary = column?.layout.dictionary;
  if (dictionary === undefined)
    throw new RecurveError('INVALID_ARGUMENT', `column ${JSON.stringify(name)} has no dictionary`);
  if (hasDictionary(type.value)) collect(valuesField(type), dictionary, name, needed);
  const known = needed.get(type.id)?.[1];
  if (known !== undefined && known !== dictionary) {
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `column ${JSON.stringify(name)} has another dictionary under id ${type.id} than a column before it`,
      {
        hint: 'give each dictionary an id of its own, or let the columns share one dictionary column',
      },
    );
  }
  needed.set(type.id, [type, dictionary, name]);
}
