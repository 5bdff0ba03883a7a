import { RecurveError } from '../../error.ts';
import { isGrowth } from '../column/dictionary.ts';
import type { Column } from '../column.ts';
import { isOwned } from '../ownership.ts';
import type { Field, Schema } from '../schema.ts';
import { childFields, type DictionaryType } from '../type.ts';
import { type BodyPlan, planBody } from './column-writer.ts';
import { hasDictionary, valuesField, visitDictionaries } from './dictionary.ts';
import { type DictionaryBytes, dictionaryBytes, type Relation, relate, SentDictionary } from './dictionary-bytes.ts';

/** A `DictionaryBatch` that a record batch needs before it. */
export interface DictionaryUpdate {
  readonly id: bigint;
  /** What is written: the whole dictionary, or what a delta adds to it. */
  readonly plan: BodyPlan;
  readonly whole: DictionaryBytes;
  readonly isDelta: boolean;
}

/** How dictionaries are written. */
export interface DictionaryWriteOptions {
  /** In a file a dictionary may grow but not change. */
  readonly fixed: boolean;
  readonly alignment: number;
  readonly deltas: boolean;
}

/** A dictionary of the batch that is written. */
interface Needed {
  readonly type: DictionaryType;
  readonly name: string;
  readonly column: Column;
  plan: BodyPlan | null;
  bytes: DictionaryBytes | null;
}

/** Keeps track of which dictionaries a reader of the output has, and tells what it still needs. */
export class DictionaryWriter {
  readonly #fields: ReadonlyArray<readonly [position: number, field: Field]>;
  readonly #options: DictionaryWriteOptions;
  readonly #sent = new Map<bigint, SentDictionary>();

  constructor(schema: Schema, options: DictionaryWriteOptions) {
    this.#fields = [...schema.fields.entries()].filter(([, field]) => hasDictionary(field.type));
    this.#options = options;
  }

  /**
   * What must be written before a batch, inner dictionaries first: nothing for a dictionary of the same values as before, a
   * delta for one that begins with them and holds no other, else the whole. The same column is taken to have the same values only where its
   * buffers are nobody else's; others are compared.
   *
   * Throws INVALID_ARGUMENT when one id stands for two dictionaries, or for a file when a dictionary changed.
   */
  update(columns: readonly (Column | undefined)[]): DictionaryUpdate[] {
    if (this.#fields.length === 0) return [];
    const needed = new Map<bigint, Needed>();
    for (const [position, field] of this.#fields) this.#collect(field, columns[position], field.name, needed);
    const updates: DictionaryUpdate[] = [];
    const replaced = new Set<bigint>();
    for (const [id, one] of needed) {
      const last = this.#sent.get(id)?.bytes;
      const relation = last === undefined ? 'other' : this.#relate(last, one, replaced);
      if (relation === 'same' || (relation === 'shorter' && this.#options.fixed)) continue;
      // Arrow C++ reads no delta of a dictionary that holds another.
      const isDelta = relation === 'longer' && this.#options.deltas && !hasDictionary(one.type.value);
      if (last !== undefined && !isDelta) {
        if (this.#options.fixed) this.#refuse(one);
        replaced.add(id);
      }
      const whole = this.#bytesOf(one);
      const plan = isDelta ? this.#plan(one, last?.length) : this.#plan(one);
      updates.push({ id, plan, whole, isDelta });
    }
    return updates;
  }

  /** Takes these updates as written. */
  commit(updates: readonly DictionaryUpdate[]): void {
    for (const { id, whole, isDelta } of updates) {
      const sent = this.#sent.get(id);
      if (sent === undefined) this.#sent.set(id, new SentDictionary(whole));
      else sent.set(whole, isDelta);
    }
  }

  #relate(last: DictionaryBytes, one: Needed, replaced: ReadonlySet<bigint>): Relation {
    const { column, type } = one;
    // Readers may hold the values of an outer dictionary with those of the inner that they were read with.
    let hasOther = false;
    if (replaced.size > 0) visitDictionaries(type.value, ({ id }) => (hasOther ||= replaced.has(id)));
    if (hasOther) return 'other';
    if (isOwned(column) && isOwned(last.column) && isGrowth(column, last.column)) {
      return column.length === last.length ? 'same' : 'longer';
    }
    if (!this.#options.deltas && column.length !== last.length) return 'other';
    return relate(last, this.#bytesOf(one));
  }

  #collect(field: Field, column: Column | undefined, name: string, needed: Map<bigint, Needed>): void {
    const { type } = field;
    if (type.kind !== 'dictionary') {
      childFields(type).forEach((child, i) => {
        if (hasDictionary(child.type)) this.#collect(child, column?.layout.children?.[i], name, needed);
      });
      return;
    }
    const dictionary = column?.layout.dictionary;
    if (dictionary === undefined)
      throw new RecurveError('INVALID_ARGUMENT', `column ${JSON.stringify(name)} has no dictionary`);
    if (hasDictionary(type.value)) this.#collect(valuesField(type), dictionary, name, needed);
    const known = needed.get(type.id);
    if (known?.column === dictionary) return;
    const one: Needed = { type, column: dictionary, name, plan: null, bytes: null };
    const relation = known === undefined ? 'longer' : relate(this.#bytesOf(known), this.#bytesOf(one));
    if (relation === 'other') {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `column ${JSON.stringify(name)} has another dictionary under id ${type.id} than a column before it`,
        { hint: 'give each dictionary an id of its own, or bring them together with unifyDictionaries' },
      );
    }
    if (relation === 'longer') needed.set(type.id, one);
  }

  #bytesOf(one: Needed): DictionaryBytes {
    one.bytes ??= dictionaryBytes(one.column, this.#plan(one));
    return one.bytes;
  }

  /** The body of the values, or of those from `start` on. */
  #plan(one: Needed, start = 0): BodyPlan {
    const fields = [valuesField(one.type)];
    if (start > 0) {
      // Whoever reads a delta joins it to what was before, by copying: it need not be aligned to more than the format wants.
      return planBody(fields, [one.column.slice(start)], one.column.length - start, 8);
    }
    one.plan ??= planBody(fields, [one.column], one.column.length, this.#options.alignment);
    return one.plan;
  }

  #refuse({ type, name }: Needed): never {
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `dictionary ${type.id} of column ${JSON.stringify(name)} changes between batches, which a file cannot hold`,
      { hint: 'bring the batches together with unifyDictionaries, or write a stream' },
    );
  }
}
