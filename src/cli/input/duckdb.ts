import type { RecordBatch } from '../../arrow/batch.ts';
import type { Schema } from '../../arrow/schema.ts';
import { quoteIdentifier } from '../../driver/duckdb/quote.ts';
import { RecurveError } from '../../error.ts';
import { openSource } from '../source.ts';
import { Asking } from './asking.ts';
import type { SeekableFile } from './file.ts';
import { csvRungs, guessTypes } from './guess.ts';
import { selectJson } from './json.ts';

/** The result of reading a file by DuckDB. */
export interface DuckdbInput {
  readonly schema: Schema;
  readonly batches: AsyncIterable<RecordBatch>;
  close(): Promise<void>;
}

/**
 * Reads Parquet, CSV, JSON and JSON lines by an embedded DuckDB, as a stream. The types of CSV and JSON are found by
 * looking at all values first: see `guess.ts`.
 */
export async function openByDuckdb(file: SeekableFile, format: string, signal: AbortSignal): Promise<DuckdbInput> {
  const source = await openSource('duckdb:', { signal });
  try {
    const sql = await readers[format as keyof typeof readers](new Asking(source, file, signal));
    const result = await source.connection.query(sql, [], { signal });
    return { schema: result.schema, batches: result, close: () => source.close() };
  } catch (error) {
    await source.close();
    throw error;
  }
}

const readers = {
  parquet: async (ask: Asking) => `from read_parquet(${ask.path})`,
  csv: selectCsv,
  json: (ask: Asking) => selectJson(ask, 'array'),
  jsonl: (ask: Asking) => selectJson(ask, 'newline_delimited'),
};

/** RFC 4180 with a header. Quoted empty text is no NULL. */
async function selectCsv(ask: Asking): Promise<string> {
  if (ask.isEmpty) throw new RecurveError('INVALID_DATA', 'the file is empty: it has not even a header');
  const dialect = `delim = ',', quote = '"', escape = '"', comment = '', header = true, skip = 0`;
  const strict =
    'allow_quoted_nulls = false, null_padding = false, ignore_errors = false, max_line_size = 16777216, buffer_size = 33554432';
  const relation = `read_csv(${ask.path}, ${dialect}, ${strict}, all_varchar = true, sample_size = 4096)`;
  const described = await ask.describe(relation).catch((error: unknown) => {
    throw isSniffing(error) ? notCsv(error) : error;
  });
  const names = described.map(({ name }) => quoteIdentifier(name));
  const types = await guessTypes({ relation, columns: names, rungs: csvRungs }, (sql) => ask.row(sql));
  const columns = names.map((name, i) => (types[i] === undefined ? name : `cast(${name} as ${types[i]}) as ${name}`));
  return `select ${columns.join(', ')} from ${relation}`;
}

/** DuckDB's page of advice, which names options that cannot be given here. */
function isSniffing(error: unknown): boolean {
  return RecurveError.is(error) && /^Invalid Input Error: Error when sniffing/.test(error.message);
}

function notCsv(cause: unknown): RecurveError {
  return new RecurveError(
    'INVALID_DATA',
    'the file is no CSV of commas, double quotes and lines of equally many cells',
    {
      hint: `recurve query "from read_csv('…', delim = ';')" reads other forms`,
      cause,
    },
  );
}
