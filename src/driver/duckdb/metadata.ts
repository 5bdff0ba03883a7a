import type { DriverCall, DriverMetadata, TableName } from '../../adbc/spi.ts';
import { Field, Schema } from '../../arrow/schema.ts';
import type { ArrowFiles } from './arrow-file.ts';
import { quoteIdentifier } from './quote.ts';
import { readFlags, readText } from './scalar.ts';
import type { NativeSession } from './session.ts';
import { readTimezone } from './timezone.ts';
import { makeField, type TypeContext } from './type.ts';

/** What DuckDB's catalog says. */
export class DuckdbMetadata implements DriverMetadata {
  readonly #session: NativeSession;
  readonly #arrowFiles: ArrowFiles;

  constructor(session: NativeSession, arrowFiles: ArrowFiles) {
    this.#session = session;
    this.#arrowFiles = arrowFiles;
  }

  /**
   * The schema of a table, a view or an Arrow file by name. A column is nullable unless the table says NOT NULL. A schema
   * without a catalog is one of the current catalog.
   */
  async getTableSchema(table: TableName, call: DriverCall): Promise<Schema> {
    const session = this.#session;
    const { binding, connection } = session;
    const { signal } = call;
    const name = await this.#qualify(table, signal);
    const sql = `SELECT * FROM ${name}`;
    await this.#arrowFiles.refresh(sql, call);
    const prepared = await this.#arrowFiles.serve(call, () =>
      session.call(() => binding.prepare(connection, sql), {
        signal,
        sql,
        discard: (late) => binding.destroy_prepare_sync(late),
      }),
    );
    try {
      const timezone = await readTimezone(session, prepared, signal);
      const required = await readFlags(session, `SELECT "null" = 'NO' FROM (DESCRIBE ${name})`, signal);
      const context: TypeContext = { binding, timezone, nextDictionaryId: 0n };
      const count = binding.prepared_statement_column_count(prepared);
      const fields = Array.from({ length: count }, (_, i) => {
        const column = binding.prepared_statement_column_name(prepared, i);
        const { type, metadata } = makeField(
          context,
          column,
          binding.prepared_statement_column_logical_type(prepared, i),
        );
        return new Field(column, type, { nullable: required[i] !== true, metadata });
      });
      return new Schema(fields);
    } finally {
      session.release(prepared);
    }
  }

  /** Three parts where the schema is given: of two, the first might also be a catalog. */
  async #qualify({ catalog, dbSchema, tableName }: TableName, signal: AbortSignal): Promise<string> {
    const parts = [catalog, dbSchema, tableName].filter((part) => part !== undefined && part !== '');
    if (!catalog && dbSchema) {
      parts.unshift(await readText(this.#session, 'SELECT current_database()', signal));
    }
    return parts.map((part) => quoteIdentifier(part ?? '')).join('.');
  }
}
