import { ConnectionOption, IsolationLevel, readFlag } from '../../adbc/connection-option.ts';
import type { DriverCall, DriverSession, TransactionAction } from '../../adbc/spi.ts';
import { RecurveError } from '../../error.ts';
import { quoteIdentifier } from './quote.ts';
import type { PostgresSession } from './session.ts';
import { BodyReader, MessageType } from './wire/message-reader.ts';

const transactionStatusKey = 'adbc.postgresql.transaction_status';

/** PostgreSQL's words for ADBC's isolation levels. Its repeatable read sees a snapshot. */
const levels: readonly (readonly [level: string, name: string])[] = [
  [IsolationLevel.ReadUncommitted, 'read uncommitted'],
  [IsolationLevel.ReadCommitted, 'read committed'],
  [IsolationLevel.RepeatableRead, 'repeatable read'],
  [IsolationLevel.Snapshot, 'repeatable read'],
  [IsolationLevel.Serializable, 'serializable'],
];

/** A session's transaction and options: the current schema, the isolation level, read-only, and, to be read, the transaction's status. */
export class PostgresOptions implements DriverSession {
  readonly #session: PostgresSession;
  #isolationLevel: string = IsolationLevel.Default;

  constructor(session: PostgresSession) {
    this.#session = session;
  }

  async transaction(action: TransactionAction, { signal }: DriverCall): Promise<void> {
    const session = this.#session;
    await session.begin(signal);
    let tag = '';
    await session.stoppable(signal, async () => {
      session.writer.query(action.toUpperCase());
      session.send();
      await session.finish({
        hear: ({ type, body }) => {
          if (type === MessageType.CommandComplete) tag = new BodyReader(body).text();
        },
      });
    });
    // PostgreSQL takes the COMMIT of a transaction that a failure has aborted for a ROLLBACK.
    if (action === 'commit' && tag === 'ROLLBACK') {
      throw new RecurveError('INVALID_STATE', 'nothing was committed: a statement of the transaction had failed', {
        hint: 'the transaction was rolled back; do its work again',
      });
    }
  }

  async getOption(key: string, { signal }: DriverCall): Promise<string | undefined> {
    switch (key) {
      case ConnectionOption.Catalog:
        return this.#read('current_database()::text', signal);
      case ConnectionOption.DbSchema:
        return (await this.#read('current_schema()::text', signal)) ?? '';
      case ConnectionOption.IsolationLevel:
        return this.#isolationLevel;
      case ConnectionOption.ReadOnly:
        return String((await this.#read("current_setting('default_transaction_read_only')", signal)) === 'on');
      case transactionStatusKey:
        return { idle: 'idle', open: 'intrans', failed: 'inerror' }[this.#session.status];
      default:
        return undefined;
    }
  }

  async setOption(key: string, value: string, { signal }: DriverCall): Promise<boolean> {
    switch (key) {
      case ConnectionOption.Catalog:
        await this.#checkCatalog(value, signal);
        return true;
      case ConnectionOption.DbSchema:
        await this.#setSchema(value, signal);
        return true;
      case ConnectionOption.IsolationLevel:
        await this.#setIsolationLevel(value, signal);
        return true;
      case ConnectionOption.ReadOnly:
        this.#assertNoTransaction(key);
        await this.#session.command(
          `SET SESSION CHARACTERISTICS AS TRANSACTION ${readFlag(key, value) ? 'READ ONLY' : 'READ WRITE'}`,
          signal,
        );
        return true;
      default:
        return false;
    }
  }

  /** A connection is to one database for good. */
  async #checkCatalog(catalog: string, signal: AbortSignal): Promise<void> {
    const current = await this.#read('current_database()::text', signal);
    if (catalog === current) return;
    throw new RecurveError(
      'NOT_FOUND',
      `the catalog ${JSON.stringify(catalog)} cannot be used: this connection is to the database ${JSON.stringify(current)}`,
      { hint: 'open the other database' },
    );
  }

  async #setSchema(dbSchema: string, signal: AbortSignal): Promise<void> {
    const bytes = new TextEncoder().encode(dbSchema);
    const known = dbSchema.includes('\0')
      ? undefined
      : await this.#session.query(
          'SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1',
          [{ oid: 25, format: 1, bytes }],
          signal,
        );
    if (known === undefined || known.numRows === 0) {
      throw new RecurveError('NOT_FOUND', `there is no schema ${JSON.stringify(dbSchema)} in this database`);
    }
    await this.#session.command(`SET search_path TO ${quoteIdentifier(dbSchema)}`, signal);
  }

  async #setIsolationLevel(level: string, signal: AbortSignal): Promise<void> {
    if (!Object.values<string>(IsolationLevel).includes(level)) {
      throw new RecurveError('INVALID_ARGUMENT', `${JSON.stringify(level)} is no isolation level of ADBC`, {
        hint: `its levels are ${Object.values(IsolationLevel).join(', ')}`,
      });
    }
    const name = levels.find(([known]) => known === level)?.[1];
    if (name === undefined && level !== IsolationLevel.Default) {
      throw new RecurveError('NOT_IMPLEMENTED', `PostgreSQL has no isolation level ${level}`, {
        hint: `the strictest is ${IsolationLevel.Serializable}`,
      });
    }
    this.#assertNoTransaction(ConnectionOption.IsolationLevel);
    await this.#session.command(
      name === undefined
        ? 'RESET default_transaction_isolation'
        : `SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ${name}`,
      signal,
    );
    this.#isolationLevel = level;
  }

  async #read(expression: string, signal: AbortSignal): Promise<string | undefined> {
    const table = await this.#session.query(`SELECT ${expression} AS value`, [], signal);
    const value = table.column('value').at(0);
    return typeof value === 'string' ? value : undefined;
  }

  #assertNoTransaction(key: string): void {
    if (this.#session.status === 'idle') return;
    throw new RecurveError('INVALID_STATE', `option ${key} cannot be set in a transaction`, {
      hint: 'commit or roll back first',
    });
  }
}
