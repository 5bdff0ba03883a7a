import type { InfoValue } from '../../adbc/info.ts';
import type { ObjectFilter } from '../../adbc/objects.ts';
import type { DriverCall, DriverMetadata, TableName } from '../../adbc/spi.ts';
import type { StatisticFilter } from '../../adbc/statistics.ts';
import { Field, Schema } from '../../arrow/schema.ts';
import type { Table } from '../../arrow/table.ts';
import type { ArrowFiles } from './arrow-file.ts';
import { readPreparedSchema } from './description.ts';
import { CatalogReader } from './metadata/catalog.ts';
import { readInfo } from './metadata/info.ts';
import { readObjects, tableTypes } from './metadata/objects.ts';
import { readStatistics } from './metadata/statistics.ts';
import { quoteIdentifier } from './quote.ts';
import { readFlags, readText } from './scalar.ts';
import type { NativeSession } from './session.ts';

/** What DuckDB's catalog says. */
export class DuckdbMetadata implements DriverMetadata {
  readonly #session: NativeSession;
  readonly #arrowFiles: ArrowFiles;
  readonly #reader: CatalogReader;

  constructor(session: NativeSession, arrowFiles: ArrowFiles) {
    this.#session = session;
    this.#arrowFiles = arrowFiles;
    this.#reader = new CatalogReader(session, arrowFiles);
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
      const { fields } = await readPreparedSchema(session, prepared, call);
      const required = await readFlags(session, `SELECT "null" = 'NO' FROM (DESCRIBE ${name})`, signal);
      return new Schema(
        fields.map(({ name: column, type, metadata }, i) => {
          return new Field(column, type, { nullable: required[i] !== true, metadata });
        }),
      );
    } finally {
      session.release(prepared);
    }
  }

  async getInfo(): Promise<ReadonlyMap<number, InfoValue>> {
    return readInfo(this.#session.binding);
  }

  /** All that DuckDB lists: attached databases, the temporary one and DuckDB's own `system`. */
  getObjects(filter: ObjectFilter, call: DriverCall): Promise<Table> {
    return this.#reader.atOnce(() => readObjects(this.#reader, filter, call), call);
  }

  async getTableTypes(): Promise<readonly string[]> {
    return tableTypes;
  }

  getStatistics(filter: StatisticFilter, call: DriverCall): Promise<Table> {
    return this.#reader.atOnce(() => readStatistics(this.#reader, filter, call), call);
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
