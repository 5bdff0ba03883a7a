import type { TableName } from '../../../adbc/spi.ts';
import { RecurveError } from '../../../error.ts';
import { quoteIdentifier, quoteText } from '../quote.ts';
import type { NativeType } from '../read/native.ts';
import { readFlags, readText } from '../scalar.ts';
import type { NativeSession } from '../session.ts';

/** A table's place, every part known. */
export interface Place {
  readonly catalog: string;
  readonly dbSchema: string;
  readonly tableName: string;
}

/** A column of a table that is there. */
export interface TargetColumn {
  readonly name: string;
  readonly type: NativeType;
  /** NOT NULL. */
  readonly required: boolean;
  readonly hasDefault: boolean;
}

/** The place in SQL. */
export function quotePlace({ catalog, dbSchema, tableName }: Place): string {
  return [catalog, dbSchema, tableName].map(quoteIdentifier).join('.');
}

/** What is left out is the session's own: never a table of another schema, nor a temporary one of the same name. */
export async function resolvePlace(
  session: NativeSession,
  { catalog, dbSchema, tableName }: TableName,
  temporary: boolean,
  signal: AbortSignal,
): Promise<Place> {
  if (temporary) return { catalog: 'temp', dbSchema: 'main', tableName };
  const current = (await readText(session, 'SELECT current_database()', signal)) ?? '';
  const own = catalog === undefined || catalog === '' || catalog === current;
  const schema = own ? ((await readText(session, 'SELECT current_schema()', signal)) ?? 'main') : 'main';
  return { catalog: catalog || current, dbSchema: dbSchema || schema, tableName };
}

/** What stands under a name. */
export async function findRelation(
  session: NativeSession,
  { catalog, dbSchema, tableName }: Place,
  signal: AbortSignal,
): Promise<'table' | 'view' | undefined> {
  const where = (kind: string): string =>
    `lower(database_name) = lower(${quoteText(catalog)}) AND lower(schema_name) = lower(${quoteText(dbSchema)}) AND lower(${kind}_name) = lower(${quoteText(tableName)})`;
  const sql = `SELECT 'table' FROM duckdb_tables() WHERE ${where('table')} UNION ALL SELECT 'view' FROM duckdb_views() WHERE ${where('view')}`;
  const kind = await readText(session, sql, signal);
  return kind === 'table' || kind === 'view' ? kind : undefined;
}

/** The columns of a table, in its order. */
export async function readTargetColumns(
  session: NativeSession,
  place: Place,
  signal: AbortSignal,
): Promise<TargetColumn[]> {
  const { binding, connection } = session;
  const sql = `FROM ${quotePlace(place)}`;
  const describe = (what: string): Promise<boolean[]> =>
    readFlags(session, `SELECT ${what} FROM (DESCRIBE ${sql.slice(5)})`, signal);
  const required = await describe(`"null" = 'NO'`);
  const defaults = await describe('"default" IS NOT NULL');
  const prepared = await session.call(() => binding.prepare(connection, sql), {
    signal,
    sql,
    discard: (late) => binding.destroy_prepare_sync(late),
  });
  try {
    return Array.from({ length: binding.prepared_statement_column_count(prepared) }, (_, i) => ({
      name: binding.prepared_statement_column_name(prepared, i),
      type: binding.prepared_statement_column_logical_type(prepared, i),
      required: required[i] === true,
      hasDefault: defaults[i] === true,
    }));
  } finally {
    session.release(prepared);
  }
}

/** A clash between the data and the table that it is appended to: ALREADY_EXISTS, as ADBC has it. */
export function clash(place: Place, message: string, hint?: string): RecurveError {
  return new RecurveError('ALREADY_EXISTS', `table ${JSON.stringify(place.tableName)} has other columns: ${message}`, {
    hint,
  });
}
