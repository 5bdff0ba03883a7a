import { RecordBatch } from '../../arrow/batch.ts';
import type { Column } from '../../arrow/column.ts';
import { Field, type Schema } from '../../arrow/schema.ts';
import type { DictionaryType } from '../../arrow/type.ts';
import { RecurveError } from '../../error.ts';
import { type DictionaryLookup, readJsonColumn } from './json-column.ts';
import type { JsonBatch, JsonFile } from './json-format.ts';
import { readJsonSchema } from './json-schema.ts';
import { parseExactJson } from './json-text.ts';

/** A file of Arrow's integration test format as an Arrow schema and batches. */
export interface JsonTruth {
  readonly schema: Schema;
  readonly batches: readonly RecordBatch[];
}

/**
 * Reads the text of an integration file. Takes time and memory in proportion to it. Throws INVALID_DATA for what is no
 * such file, naming the field.
 */
export function readJsonTruth(text: string): JsonTruth {
  const file = parseFile(text);
  const schema = readJsonSchema(file);
  const lookup = dictionaryLookup(file);
  const batches = file.batches.map(({ count, columns }, i) => {
    if (columns.length !== schema.fields.length) {
      throw new RecurveError(
        'INVALID_DATA',
        `batch ${i} of the JSON file has ${columns.length} columns, its schema ${schema.fields.length}`,
      );
    }
    return new RecordBatch(
      schema,
      schema.fields.map((field, position) => readJsonColumn(field, columns[position], lookup)),
      count,
    );
  });
  return { schema, batches };
}

function parseFile(text: string): JsonFile {
  let file: Partial<JsonFile> | null;
  try {
    file = parseExactJson(text) as Partial<JsonFile> | null;
  } catch (cause) {
    throw new RecurveError('INVALID_DATA', `the file is no JSON: ${String(cause)}`, { cause });
  }
  if (!Array.isArray(file?.schema?.fields) || !Array.isArray(file.batches)) {
    throw new RecurveError(
      'INVALID_DATA',
      'the JSON file has no schema.fields or no batches: it is no integration file',
    );
  }
  return file as JsonFile;
}

/** Fields that share an id share one column. */
function dictionaryLookup({ dictionaries = [] }: JsonFile): DictionaryLookup {
  const stored = new Map<bigint, JsonBatch>(dictionaries.map(({ id, data }) => [BigInt(id), data]));
  const read = new Map<bigint, Column>();
  const lookup = ({ id, value }: DictionaryType, field: Field): Column => {
    let column = read.get(id);
    if (column === undefined) {
      const data = stored.get(id);
      if (data === undefined) {
        throw new RecurveError(
          'INVALID_DATA',
          `the JSON file has no dictionary ${id}, which column ${JSON.stringify(field.name)} wants`,
        );
      }
      column = readJsonColumn(new Field(field.name, value), data.columns[0], lookup);
      read.set(id, column);
    }
    return column;
  };
  return lookup;
}
