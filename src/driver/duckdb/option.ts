import { ConnectionOption, IsolationLevel, readFlag } from '../../adbc/connection-option.ts';
import type { DriverCall, DriverSession, TransactionAction } from '../../adbc/spi.ts';
import { RecurveError } from '../../error.ts';
import type { ArrowFiles } from './arrow-file.ts';
import { quoteIdentifier, quoteText } from './quote.ts';
import { readText } from './scalar.ts';
import type { NativeSession } from './session.ts';

/**
 * A session's transaction and options: the current catalog and schema, the isolation level, which is always a snapshot, and
 * read-only.
 */
export class DuckdbSession implements DriverSession {
  readonly #session: NativeSession;
  readonly #arrowFiles: ArrowFiles;
  #isolationLevel: string = IsolationLevel.Default;

  constructor(session: NativeSession, arrowFiles: ArrowFiles) {
    this.#session = session;
    this.#arrowFiles = arrowFiles;
  }

  async transaction(action: TransactionAction, { signal }: DriverCall): Promise<void> {
    const begin = action === 'begin';
    // DuckDB takes the COMMIT of a transaction that a failure has aborted for a ROLLBACK, and says nothing.
    if (action === 'commit') await this.#session.query('SELECT 1', signal);
    if (!begin) this.#session.inTransaction = false;
    const mode = this.#session.readOnly ? 'BEGIN TRANSACTION READ ONLY' : 'BEGIN TRANSACTION';
    await this.#session.query(begin ? mode : action.toUpperCase(), signal);
    this.#session.inTransaction = begin;
    if (!begin) this.#arrowFiles.transactionEnded();
  }

  async getOption(key: string, { signal }: DriverCall): Promise<string | undefined> {
    switch (key) {
      case ConnectionOption.Catalog:
        return readText(this.#session, 'SELECT current_database()', signal);
      case ConnectionOption.DbSchema:
        return readText(this.#session, 'SELECT current_schema()', signal);
      case ConnectionOption.IsolationLevel:
        return this.#isolationLevel;
      case ConnectionOption.ReadOnly:
        return String(this.#session.readOnly);
      default:
        return undefined;
    }
  }

  async setOption(key: string, value: string, { signal }: DriverCall): Promise<boolean> {
    switch (key) {
      case ConnectionOption.Catalog:
        await this.#setCatalog(value, signal);
        return true;
      case ConnectionOption.DbSchema:
        await this.#setSchema(value, signal);
        return true;
      case ConnectionOption.IsolationLevel:
        this.#setIsolationLevel(value);
        return true;
      case ConnectionOption.ReadOnly:
        this.#assertNoTransaction(key);
        this.#session.readOnly = readFlag(key, value);
        return true;
      default:
        return false;
    }
  }

  /** The schema of the new catalog is its `main`, or its first: DuckDB has no name for a default. */
  async #setCatalog(catalog: string, signal: AbortSignal): Promise<void> {
    const schemas = `SELECT schema_name FROM duckdb_schemas() WHERE lower(database_name) = lower(${literal(catalog)})
      ORDER BY schema_name <> 'main', schema_name LIMIT 1`;
    const dbSchema = await readText(this.#session, schemas, signal);
    if (dbSchema === undefined) throw new RecurveError('NOT_FOUND', `there is no catalog ${JSON.stringify(catalog)}`);
    await this.#use(catalog, dbSchema, signal);
  }

  async #setSchema(dbSchema: string, signal: AbortSignal): Promise<void> {
    const catalog = (await readText(this.#session, 'SELECT current_database()', signal)) ?? '';
    const found = `SELECT schema_name FROM duckdb_schemas()
      WHERE database_name = ${literal(catalog)} AND lower(schema_name) = lower(${literal(dbSchema)})`;
    if ((await readText(this.#session, found, signal)) === undefined) {
      const message = `there is no schema ${JSON.stringify(dbSchema)} in the catalog ${JSON.stringify(catalog)}`;
      throw new RecurveError('NOT_FOUND', message);
    }
    await this.#use(catalog, dbSchema, signal);
  }

  async #use(catalog: string, dbSchema: string, signal: AbortSignal): Promise<void> {
    await this.#session.query(`USE ${quoteIdentifier(catalog)}.${quoteIdentifier(dbSchema)}`, signal);
  }

  #setIsolationLevel(level: string): void {
    if (!Object.values<string>(IsolationLevel).includes(level)) {
      throw new RecurveError('INVALID_ARGUMENT', `${JSON.stringify(level)} is no isolation level of ADBC`, {
        hint: `its levels are ${Object.values(IsolationLevel).join(', ')}`,
      });
    }
    if (level !== IsolationLevel.Default && level !== IsolationLevel.Snapshot) {
      throw new RecurveError('NOT_IMPLEMENTED', `DuckDB has no isolation level ${level}`, {
        hint: `its transactions see a snapshot: ${IsolationLevel.Snapshot}`,
      });
    }
    this.#assertNoTransaction(ConnectionOption.IsolationLevel);
    this.#isolationLevel = level;
  }

  #assertNoTransaction(key: string): void {
    if (!this.#session.inTransaction) return;
    throw new RecurveError('INVALID_STATE', `option ${key} cannot be set in a transaction`, {
      hint: 'commit or roll back first',
    });
  }
}

/** A name that cannot be one of DuckDB's, since texts end at a NUL, is found nowhere. */
function literal(name: string): string {
  return name.includes('\0') ? 'NULL' : quoteText(name);
}
