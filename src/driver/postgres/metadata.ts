import type { DriverMetadata } from '../../adbc/spi.ts';
import type { Schema } from '../../arrow/schema.ts';
import type { Table } from '../../arrow/table.ts';
import { RecurveError } from '../../error.ts';
import type { ResultOptions } from './execution.ts';
import type { PostgresSession } from './session.ts';

/** What the catalog says. */
export class PostgresMetadata implements DriverMetadata {
  readonly #session: PostgresSession;
  readonly #options: ResultOptions;

  constructor(session: PostgresSession, options: ResultOptions) {
    this.#session = session;
    this.#options = options;
  }

  async getTableSchema(): Promise<Schema> {
    throw this.#missing();
  }

  async getInfo(): Promise<never> {
    throw this.#missing();
  }

  async getObjects(): Promise<Table> {
    throw this.#missing();
  }

  async getTableTypes(): Promise<readonly string[]> {
    throw this.#missing();
  }

  async getStatistics(): Promise<Table> {
    throw this.#missing();
  }

  #missing(): RecurveError {
    return new RecurveError('NOT_IMPLEMENTED', `metadata (${this.#session.processId}, ${Object.keys(this.#options)})`);
  }
}
