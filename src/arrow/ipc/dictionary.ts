import { RecurveError } from '../../error.ts';
import type { Column } from '../column.ts';
import { Field, type Schema } from '../schema.ts';
import { childFields, type DataType, type DictionaryType, typeEquals, typeToString } from '../type.ts';
import { ColumnReader, type DictionarySource } from './column-reader.ts';
import { concatColumns, emptyColumn, noteExtension } from './concat.ts';
import type { Body, Message } from './message.ts';
import { type BatchHeader, readBatchHeader } from './record-batch.ts';

/** Calls `visit` with every dictionary type in a type, inner ones first. */
function visitDictionaries(type: DataType, visit: (type: DictionaryType) => void): void {
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

/** A `DictionaryBatch`. Values that hold dictionaries are kept unread, since those inside may come later, or change. */
interface Part {
  readonly message: Message;
  readonly header: BatchHeader;
  readonly body: Body;
  column: Column | null;
}

/** What is known of one dictionary: the message that set it and the deltas since. */
interface Entry {
  readonly type: DictionaryType;
  parts: Part[];
  /** The values of the first `read` parts. */
  column: Column | null;
  read: number;
  /** The inner dictionaries that `column` was made with. */
  inner: readonly (Column | null)[];
}

/**
 * The dictionaries of a stream or file as of the last message. Columns that were handed out keep the values they had: a
 * replacement or delta makes a new column.
 */
export class DictionaryReader implements DictionarySource {
  readonly #entries = new Map<bigint, Entry>();
  readonly #empty = new Map<bigint, Column>();
  /** The dictionaries that the fields to be read have. */
  readonly #needed = new Set<bigint>();

  /** `fields` are those of the schema that are read. Throws INVALID_DATA when fields share an id but not a type of values. */
  constructor(schema: Schema, place: string, fields: readonly Field[]) {
    for (const { type } of fields) visitDictionaries(type, ({ id }) => this.#needed.add(id));
    for (const field of schema.fields) {
      visitDictionaries(field.type, (type) => {
        const known = this.#entries.get(type.id)?.type;
        if (known === undefined) {
          this.#entries.set(type.id, { type, parts: [], column: null, read: 0, inner: [] });
        } else if (!typeEquals(known.value, type.value)) {
          const types = `${typeToString(known.value)} and ${typeToString(type.value)}`;
          throw new RecurveError('INVALID_DATA', `${place}: dictionary ${type.id} has values of two types, ${types}`);
        }
      });
    }
  }

  /** Whether a `DictionaryBatch` is one that the fields need; `add` passes over others. */
  needs({ flatbuffer, header }: Message): boolean {
    const id = flatbuffer.bigint64(header, 0);
    if (!this.#entries.has(id)) flatbuffer.fail(`dictionary ${id} belongs to no field of the schema`);
    return this.#needed.has(id);
  }

  /**
   * Takes in a `DictionaryBatch`. In a file (`fixed`), a second one of the same id must be a delta. Values that hold no
   * dictionaries are read at once, so that a fault is met where it is.
   */
  add(message: Message, body: Body, fixed: boolean): void {
    const { flatbuffer, header } = message;
    const id = flatbuffer.bigint64(header, 0);
    if (!this.needs(message)) return;
    const entry = this.#entries.get(id) as Entry;
    const data = flatbuffer.table(header, 1);
    if (data === 0) flatbuffer.fail(`dictionary ${id} has no data`);
    const part: Part = { message, header: readBatchHeader(flatbuffer, data), body, column: null };
    const isDelta = flatbuffer.bool(header, 2);
    if (isDelta && entry.parts.length === 0) flatbuffer.fail(`dictionary ${id} begins with a delta`);
    if (!isDelta && fixed && entry.parts.length > 0) {
      flatbuffer.fail(`dictionary ${id} is replaced, which a file cannot do`);
    }
    if (isDelta) {
      entry.parts.push(part);
    } else {
      Object.assign(entry, { parts: [part], column: null, read: 0 });
    }
    if (!hasDictionary(entry.type.value)) part.column = readPart(entry, part, this);
  }

  resolve(type: DictionaryType): Column | null {
    const entry = this.#entries.get(type.id);
    if (entry === undefined || entry.parts.length === 0) return null;
    const inner: (Column | null)[] = [];
    for (const field of childFields(entry.type.value)) {
      visitDictionaries(field.type, (innerType) => inner.push(this.resolve(innerType)));
    }
    if (inner.some((column, i) => column !== entry.inner[i])) Object.assign(entry, { column: null, read: 0, inner });
    if (entry.column === null || entry.read < entry.parts.length) {
      const field = valuesField(entry.type);
      const added = entry.parts.slice(entry.read).map((part) => part.column ?? readPart(entry, part, this));
      const base = entry.column;
      entry.column = concatColumns(field, base === null ? added : [base, ...added]);
      entry.read = entry.parts.length;
      if (base !== null && inner.length === 0) noteExtension(entry.column, base);
    }
    return entry.column;
  }

  /** Reads what was kept unread, so that no fault is passed over; to be called when no message can follow. */
  finish(): void {
    for (const { type } of this.#entries.values()) this.resolve(type);
  }

  empty(type: DictionaryType): Column {
    let column = this.#empty.get(type.id);
    if (column === undefined) {
      column = emptyColumn(valuesField(type), (inner) => this.resolve(inner) ?? this.empty(inner));
      this.#empty.set(type.id, column);
    }
    return column;
  }
}

function readPart(entry: Entry, { message, header, body }: Part, dictionaries: DictionarySource): Column {
  return new ColumnReader(message, header, body, dictionaries).readColumn(valuesField(entry.type));
}
