import type { Parameters } from '../../../adbc/parameter.ts';
import type { BatchLimit, DriverCall } from '../../../adbc/spi.ts';
import { RecordBatch } from '../../../arrow/batch.ts';
import { makeBuilder } from '../../../arrow/build/make.ts';
import { RecurveError } from '../../../error.ts';
import type { ArrowFiles } from '../arrow-file.ts';
import { runPrepared } from '../execution.ts';
import { prepareText } from '../preparation.ts';
import type { NativeSession } from '../session.ts';

/** All rows in one batch. */
const oneBatch: BatchLimit = { maxRows: 2 ** 31 - 1, maxBytes: Number.MAX_SAFE_INTEGER, firstRows: 2 ** 31 - 1 };

/** Runs queries of the driver's own on the catalog. */
export class CatalogReader {
  readonly #session: NativeSession;
  readonly #files: ArrowFiles;

  constructor(session: NativeSession, files: ArrowFiles) {
    this.#session = session;
    this.#files = files;
  }

  /** All rows of a query as one batch. */
  async query(sql: string, parameters: Parameters, call: DriverCall): Promise<RecordBatch> {
    const text = await prepareText(this.#session, this.#files, sql, { call, script: false });
    try {
      const startedMs = performance.now();
      const request = { parameters, limit: oneBatch };
      const { schema, batches } = await runPrepared(this.#session, this.#files, text, { request, call, startedMs });
      const first = await batches.next();
      if (first.done)
        return new RecordBatch(
          schema,
          schema.fields.map((field) => makeBuilder(field).finish()),
        );
      if (!(await batches.next()).done) throw new RecurveError('INTERNAL', 'the catalog came in more than one batch');
      return first.value;
    } finally {
      this.#session.release(text.prepared);
    }
  }

  /** Does `work` so that all its queries see one state of the catalog. */
  async atOnce<T>(work: () => Promise<T>, { signal }: DriverCall): Promise<T> {
    const session = this.#session;
    if (session.inTransaction) return work();
    // What is cut off meanwhile must not be ended by an interrupt, which would end the transaction too.
    session.inTransaction = true;
    try {
      await session.query('BEGIN TRANSACTION READ ONLY', signal);
      return await work();
    } finally {
      session.inTransaction = false;
      // There is none when the begin failed; when it was aborted there may be one all the same.
      await session.query('ROLLBACK', new AbortController().signal).catch(() => undefined);
    }
  }
}

/** Conditions of a WHERE with their parameters, `$1`, `$2` … in order. */
export class Conditions {
  readonly parameters: string[];
  readonly #conditions: string[] = [];

  /** `rest` are other conditions of the same statement, whose parameters these share. */
  constructor(rest?: Conditions) {
    this.parameters = rest?.parameters ?? [];
  }

  /** Asks for a name that matches a pattern: `%`, `_` and no escape, as DuckDB's LIKE has it. Nothing without a pattern. */
  like(expression: string, pattern: string | undefined): this {
    if (pattern !== undefined && pattern !== '%') this.#conditions.push(`${expression} LIKE ${this.#next(pattern)}`);
    return this;
  }

  /** Asks for one of these values. Nothing without them. */
  among(expression: string, values: readonly string[] | undefined): this {
    if (values === undefined) return this;
    const list = values.map((value) => this.#next(value)).join(', ');
    this.#conditions.push(list === '' ? 'false' : `${expression} IN (${list})`);
    return this;
  }

  toString(): string {
    return this.#conditions.length === 0 ? 'true' : this.#conditions.join(' AND ');
  }

  #next(value: string): string {
    return `$${this.parameters.push(value)}`;
  }
}
