import type { InfoValue } from '../../adbc/info.ts';
import type { ObjectFilter } from '../../adbc/objects.ts';
import type { DriverCall, DriverMetadata, TableName } from '../../adbc/spi.ts';
import type { StatisticFilter } from '../../adbc/statistics.ts';
import { Field, Schema } from '../../arrow/schema.ts';
import type { Table } from '../../arrow/table.ts';
import { RecurveError } from '../../error.ts';
import { readSchema } from './decode/schema.ts';
import type { PgColumn } from './decode/type.ts';
import type { ResultOptions } from './execution.ts';
import { readCatalog } from './metadata/catalog.ts';
import { readInfo } from './metadata/info.ts';
import { readObjects, tableTypes } from './metadata/objects.ts';
import { readStatistics } from './metadata/statistics.ts';
import { quoteIdentifier } from './quote.ts';
import { inBestFormat } from './result-type.ts';
import type { PostgresSession } from './session.ts';
import { completeTypes } from './type-lookup.ts';

/** What PostgreSQL's catalog says. */
export class PostgresMetadata implements DriverMetadata {
  readonly #session: PostgresSession;
  readonly #options: ResultOptions;

  constructor(session: PostgresSession, options: ResultOptions) {
    this.#session = session;
    this.#options = options;
  }

  /**
   * The schema of a table, view or the like: that of `SELECT * FROM` it. A column is nullable unless the table says NOT NULL.
   * Without a schema the first of `search_path` that has it counts.
   */
  async getTableSchema(table: TableName, { signal }: DriverCall): Promise<Schema> {
    const session = this.#session;
    const name = await this.#qualify(table, signal);
    const batch = await readCatalog(
      session,
      `SELECT a.attrelid AS relation, a.attname::text AS name, a.atttypid AS type, a.atttypmod AS typmod, a.attnum::int4 AS number,
        (a.attnotnull OR t.typnotnull) AS required
      FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      WHERE a.attrelid = $1::text::pg_catalog.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
      [name],
      signal,
    );
    const columns = Array.from({ length: batch.numRows }, (_, i): PgColumn => {
      return {
        name: String(batch.column('name').at(i)),
        oid: Number(batch.column('type').at(i)),
        typmod: Number(batch.column('typmod').at(i)),
        format: 1,
        tableOid: Number(batch.column('relation').at(i)),
        attributeNumber: Number(batch.column('number').at(i)),
      };
    });
    await completeTypes(session, columns, signal);
    const sent = inBestFormat(columns, session.types, this.#options);
    const { fields } = readSchema(sent, session.types, this.#options);
    return new Schema(
      fields.map(({ name: column, type, metadata }, i) => {
        return new Field(column, type, { nullable: batch.column('required').at(i) !== true, metadata });
      }),
    );
  }

  async getInfo(): Promise<ReadonlyMap<number, InfoValue>> {
    return readInfo(this.#session);
  }

  getObjects(filter: ObjectFilter, { signal }: DriverCall): Promise<Table> {
    return readObjects(this.#session, filter, signal);
  }

  async getTableTypes(): Promise<readonly string[]> {
    return tableTypes;
  }

  getStatistics(filter: StatisticFilter, { signal }: DriverCall): Promise<Table> {
    return readStatistics(this.#session, filter, signal);
  }

  /** The OID of a table, as text. Throws NOT_FOUND. */
  async #qualify({ catalog, dbSchema, tableName }: TableName, signal: AbortSignal): Promise<string> {
    const parts = [...(dbSchema ? [dbSchema] : []), tableName];
    const path = parts.map(quoteIdentifier).join('.');
    const isText = !parts.some((part) => part === '' || part.includes('\0'));
    const found = isText
      ? await readCatalog(
          this.#session,
          `SELECT pg_catalog.to_regclass($1)::pg_catalog.oid::text AS oid, pg_catalog.current_database()::text AS catalog`,
          [path],
          signal,
        )
      : undefined;
    const oid = found?.column('oid').at(0);
    const isHere = !catalog || found?.column('catalog').at(0) === catalog;
    if (typeof oid === 'string' && isHere) return oid;
    const shown = [...(catalog ? [catalog] : []), ...parts].map((part) => JSON.stringify(part)).join('.');
    throw new RecurveError('NOT_FOUND', `there is no table ${shown}`, {
      hint: isHere ? undefined : 'a connection sees the tables of its own database only',
    });
  }
}
