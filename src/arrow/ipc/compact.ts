import { allocate } from '#platform';
import { RecordBatch } from '../batch.ts';
import type { Column, ColumnLayout } from '../column.ts';
import { markOwned } from '../ownership.ts';
import { Field, Schema } from '../schema.ts';
import { Table } from '../table.ts';
import type { DictionaryType } from '../type.ts';
import { ColumnReader, type DictionarySource } from './column-reader.ts';
import { planBody } from './column-writer.ts';
import { BodyCodecs } from './compression.ts';
import { emptyColumn } from './concat.ts';
import { valuesField } from './dictionary.ts';
import { headerType, readMessage, writeMessage } from './message.ts';
import { writeBody } from './piece.ts';
import { batchSlots, readBatchHeader } from './record-batch.ts';

/** How {@link compact} copies. */
export interface CompactOptions {
  /**
   * `copy` (default) copies dictionaries, whole and each once, so that nothing of the old buffers is held; `keep` takes the
   * old ones, which saves their size and lets a writer see that they are the same as before.
   */
  readonly dictionaries?: 'copy' | 'keep' | undefined;
}

/**
 * A copy in memory of its own: one `ArrayBuffer` a batch (of a column, one), aligned to 64 bytes, with just the values
 * there are. What was a slice is as long as it looks, so little that is kept of much no longer holds the much. Values, types
 * and metadata are the same.
 *
 * Throws INVALID_ARGUMENT for columns whose buffers are shorter than they say, and for unions with nulls of their own.
 */
export function compact<T extends Column | RecordBatch | Table>(input: T, options?: CompactOptions): T;
export function compact(
  input: Column | RecordBatch | Table,
  options: CompactOptions = {},
): Column | RecordBatch | Table {
  const copier = new Copier(options.dictionaries === 'keep');
  if (input instanceof RecordBatch) return copier.batch(input);
  if (input instanceof Table)
    return new Table(
      input.schema,
      input.batches.map((batch) => copier.batch(batch)),
    );
  const [copy] = copier.columns([new Field('', input.type)], [input], input.length);
  // The field that made it an extension's column is not known here; its class is.
  return new (input.constructor as new (layout: ColumnLayout) => Column)((copy as Column).layout);
}

class Copier {
  readonly #keepDictionaries: boolean;
  /** What was copied, so that columns that share a dictionary go on to do so. */
  readonly #copies = new Map<Column, Column>();

  constructor(keepDictionaries: boolean) {
    this.#keepDictionaries = keepDictionaries;
  }

  batch({ schema, columns, numRows, metadata }: RecordBatch): RecordBatch {
    return new RecordBatch(schema, this.columns(schema.fields, columns, numRows), numRows, metadata);
  }

  /** Writes the body of a record batch and reads it: so every type is copied as it is read and written. */
  columns(fields: readonly Field[], columns: readonly Column[], length: number): Column[] {
    const plan = planBody(fields, columns, length, 64);
    const { bodyLength, pieces } = plan;
    const body = allocate(bodyLength);
    writeBody(pieces, bodyLength, body, 0);
    const schema = new Schema(fields);
    const options = { bodyLength, metadata: schema.metadata, position: 0, alignment: 8 };
    const bytes = writeMessage(headerType.recordBatch, batchSlots(plan), options);
    const message = readMessage(bytes.subarray(8), 'copy');
    const header = readBatchHeader(message.flatbuffer, message.header);
    const positions = fields.map((_, i) => i);
    const reader = new ColumnReader(message, header, body, this.#dictionariesOf(columns), new BodyCodecs({}));
    return reader.readColumns(fields, positions);
  }

  #dictionariesOf(columns: readonly Column[]): DictionarySource {
    const found = new Map<bigint, Column>();
    const visit = ({ type, layout }: Column): void => {
      if (type.kind === 'dictionary' && layout.dictionary)
        found.set(type.id, this.#dictionary(type, layout.dictionary));
      layout.children?.forEach(visit);
    };
    columns.forEach(visit);
    const source: DictionarySource = {
      resolve: ({ id }) => found.get(id) ?? null,
      swap: null,
      empty: (type) => emptyColumn(valuesField(type), (inner) => source.resolve(inner) ?? source.empty(inner)),
    };
    return source;
  }

  #dictionary(type: DictionaryType, dictionary: Column): Column {
    if (this.#keepDictionaries) return dictionary;
    let copy = this.#copies.get(dictionary);
    if (copy === undefined) {
      copy = this.columns([valuesField(type)], [dictionary], dictionary.length)[0] as Column;
      markOwned(copy);
      this.#copies.set(dictionary, copy);
    }
    return copy;
  }
}
