import type { Schema } from '../../arrow/schema.ts';
import type { ResultWriter, WriterTarget } from './result-writer.ts';
import { type RowFormat, RowWriter } from './row-writer.ts';

/** A format that results can be written in. */
export interface Format {
  readonly name: string;
  /** Suffixes of file names that ask for it, with the dot. */
  readonly suffixes: readonly string[];
  /** The writer, imported when it is used. */
  open(target: WriterTarget): Promise<ResultWriter>;
}

const rows =
  (load: () => Promise<(schema: Schema) => RowFormat>) =>
  async ({ sink, schema }: WriterTarget): Promise<ResultWriter> =>
    new RowWriter(sink, (await load())(schema));

/** Every format, in the order of the help. */
export const formats: readonly Format[] = [
  {
    name: 'table',
    suffixes: ['.txt'],
    open: async (target) => (await import('./table.ts')).openTable(target),
  },
  { name: 'csv', suffixes: ['.csv'], open: rows(async () => (await import('./delimited.ts')).csv) },
  { name: 'tsv', suffixes: ['.tsv'], open: rows(async () => (await import('./delimited.ts')).tsv) },
  { name: 'json', suffixes: ['.json'], open: rows(async () => (await import('./json.ts')).json) },
  { name: 'jsonl', suffixes: ['.jsonl', '.ndjson'], open: rows(async () => (await import('./json.ts')).jsonl) },
  { name: 'markdown', suffixes: ['.md'], open: rows(async () => (await import('./markdown.ts')).markdown) },
  { name: 'arrow', suffixes: ['.arrow'], open: async (target) => (await import('./arrow.ts')).openArrowFile(target) },
  {
    name: 'arrows',
    suffixes: ['.arrows'],
    open: async (target) => (await import('./arrow.ts')).openArrowStream(target),
  },
  {
    name: 'parquet',
    suffixes: ['.parquet'],
    open: async (target) => (await import('./parquet.ts')).openParquet(target),
  },
];
