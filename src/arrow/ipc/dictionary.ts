import { RecurveError } from '../../error.ts';
import { noteGrowth } from '../column/dictionary.ts';
import type { JoinColumns } from '../column/joined.ts';
import type { Column } from '../column.ts';
import { Metadata } from '../metadata.ts';
import { markOwned } from '../ownership.ts';
import { Field, type Schema } from '../schema.ts';
import { childFields, type DataType, type DictionaryType, typeEquals, typeToString } from '../type.ts';
import type { ByteSwap } from './big-endian.ts';
import { ColumnReader, type DictionarySource } from './column-reader.ts';
import type { BodyCodecs } from './compression.ts';
import type { ColumnCheck } from './decoder.ts';
import type { Body, Message } from './message.ts';
import { type BatchHeader, readBatchHeader } from './record-batch.ts';

/** Calls `visit` with every dictionary type in a type, inner ones first. */
export function visitDictionaries(type: DataType, visit: (type: DictionaryType) => void): void {
  if (type.kind === 'dictionary') {
    visitDictionaries(type.value, visit);
    visit(type);
  } else {
    for (const child of childFields(type)) visitDictionaries(child.type, visit);
  }
}

/** Whether a type is a dictionary or has one inside. */
export function hasDictionary(type: DataType): boolean {
  return type.kind === 'dictionary' || childFields(type).some((child) => hasDictionary(child.type));
}

/** The field that a dictionary's values are a column of. */
export function valuesField(type: DictionaryType): Field {
  return new Field('dictionary', type.value);
}

/** A `DictionaryBatch` that is kept unread: its values hold dictionaries, which may come later, or change. */
interface Part {
  readonly message: Message;
  readonly header: BatchHeader;
  readonly body: Body;
}

/** What is known of one dictionary: the message that set it and the deltas since. */
interface Entry {
  readonly type: DictionaryType;
  /** The dictionaries that the values hold, inner ones first. */
  readonly inner: readonly DictionaryType[];
  /** Whether a field that is read has it. */
  isNeeded: boolean;
  /** What was set or added since `column` was made; all parts there are when the values hold dictionaries. */
  parts: (Part | Column)[];
  column: Column | null;
  /** Parts that are in `column`, if they are kept. */
  read: number;
  /** The inner dictionaries that `column` was made with. */
  used: readonly (Column | null)[];
  /** Of all messages, in order. */
  metadata: Metadata;
}

const ownMetadata = new WeakMap<Column, Metadata>();

/**
 * The `custom_metadata` of the messages that brought the dictionary of a column that was read: those of the one that set it,
 * then those of its deltas. `dictionary` is the column of the values, as {@link ColumnLayout.dictionary} has it.
 */
export function dictionaryMetadata(dictionary: Column): Metadata {
  return ownMetadata.get(dictionary) ?? Metadata.empty;
}

/**
 * The dictionaries of a stream or file as of the last message. Columns that were handed out keep the values they had: a
 * replacement or delta makes a new column.
 */
export class DictionaryReader implements DictionarySource {
  declare readonly swap: ByteSwap | null;
  readonly #entries = new Map<bigint, Entry>();
  readonly #empty = new Map<bigint, Column>();
  readonly #codecs: BodyCodecs;
  readonly #check: ColumnCheck | undefined;
  readonly #join: JoinColumns;

  /** `fields` are those of the schema that are read. Throws INVALID_DATA when fields share an id but not a type of values. */
  constructor(
    schema: Schema,
    place: string,
    fields: readonly Field[],
    codecs: BodyCodecs,
    swap: ByteSwap | null,
    check: ColumnCheck | undefined,
    join: JoinColumns,
  ) {
    this.#join = join;
    this.#codecs = codecs;
    this.#check = check;
    this.swap = swap;
    for (const field of schema.fields) {
      visitDictionaries(field.type, (type) => {
        let entry = this.#entries.get(type.id);
        if (entry === undefined) {
          const inner: DictionaryType[] = [];
          visitDictionaries(type.value, (innerType) => inner.push(innerType));
          const metadata = Metadata.empty;
          entry = { type, inner, isNeeded: false, parts: [], column: null, read: 0, used: [], metadata };
          this.#entries.set(type.id, entry);
        } else if (!typeEquals(entry.type.value, type.value)) {
          const types = `${typeToString(entry.type.value)} and ${typeToString(type.value)}`;
          throw new RecurveError('INVALID_DATA', `${place}: dictionary ${type.id} has values of two types, ${types}`);
        }
        if (fields.includes(field)) entry.isNeeded = true;
      });
    }
  }

  /** The entry of a `DictionaryBatch`; `add` passes over one that no field that is read needs. */
  entryOf({ flatbuffer, header }: Message): Entry {
    const id = flatbuffer.bigint64(header, 0);
    return this.#entries.get(id) ?? flatbuffer.fail(`dictionary ${id} belongs to no field of the schema`);
  }

  /**
   * Takes in a `DictionaryBatch`. In a file (`fixed`), a second one of the same id must be a delta. Values that hold no
   * dictionaries are read at once, so that a fault is met where it is.
   */
  add(message: Message, body: Body, fixed: boolean): void {
    const { flatbuffer, header, metadata } = message;
    const entry = this.entryOf(message);
    if (!entry.isNeeded) return;
    const fail = (what: string): never => flatbuffer.fail(`dictionary ${entry.type.id} ${what}`);
    const data = flatbuffer.table(header, 1);
    if (data === 0) fail('has no data');
    const part: Part = { message, header: readBatchHeader(flatbuffer, data), body };
    const isDelta = flatbuffer.bool(header, 2);
    const isNew = entry.column === null && entry.parts.length === 0;
    if (isDelta && isNew) fail('begins with a delta');
    if (!isDelta && !isNew && fixed) fail('is replaced, which a file cannot do');
    const values = entry.inner.length > 0 ? part : this.#read(entry, part);
    if (isDelta) {
      entry.parts.push(values);
      entry.metadata = entry.metadata.concat(metadata);
    } else {
      Object.assign(entry, { parts: [values], column: null, read: 0, metadata });
    }
  }

  resolve(type: DictionaryType): Column | null {
    const entry = this.#entries.get(type.id);
    if (entry === undefined || (entry.column === null && entry.parts.length === 0)) return null;
    const isNested = entry.inner.length > 0;
    // The values are read anew when a dictionary inside of them is another than before.
    const used = entry.inner.map((inner) => this.resolve(inner));
    if (used.some((column, i) => column !== entry.used[i])) Object.assign(entry, { column: null, read: 0, used });
    if (entry.read < entry.parts.length) {
      const base = entry.column;
      const added = entry.parts.slice(entry.read).map((part) => ('at' in part ? part : this.#read(entry, part)));
      const column = this.#joined(entry.type, base === null ? added : [base, ...added]);
      if (base !== null || added.length > 1) markOwned(column);
      if (base !== null && !isNested) noteGrowth(column, base);
      if (entry.metadata.size > 0) ownMetadata.set(column, entry.metadata);
      entry.column = column;
      if (isNested) entry.read = entry.parts.length;
      else entry.parts = [];
    }
    return entry.column;
  }

  /** Reads what was kept unread, so that no fault is passed over; to be called when no message can follow. */
  finish(): void {
    for (const { type } of this.#entries.values()) this.resolve(type);
  }

  #read({ type }: Entry, { message, header, body }: Part): Column {
    const field = valuesField(type);
    const columns = new ColumnReader(message, header, body, this, this.#codecs).readColumns([field]);
    this.#check?.([field], columns, message.place, body);
    return columns[0] as Column;
  }

  #joined(type: DictionaryType, columns: readonly Column[]): Column {
    return this.#join(valuesField(type), columns, (inner) => this.resolve(inner) ?? this.empty(inner));
  }

  empty(type: DictionaryType): Column {
    const column = this.#empty.get(type.id) ?? this.#joined(type, []);
    this.#empty.set(type.id, column);
    return column;
  }
}
