import type { Parameters } from '../../adbc/parameter.ts';
import type { DriverCall, DriverRowsResult, RunRequest } from '../../adbc/spi.ts';
import type { RecordBatch } from '../../arrow/batch.ts';
import { Schema } from '../../arrow/schema.ts';
import { type Cost, newCost } from '../../delivery/cost.ts';
import type { Plan } from '../../delivery/plan.ts';
import { RecurveError } from '../../error.ts';
import { RowDecoder } from './decode/row-decoder.ts';
import type { PgColumn } from './decode/type.ts';
import { readError, readRowsAffected } from './error.ts';
import type { NamedStatement, ResultOptions } from './execution.ts';
import { encodeParameters } from './parameter.ts';
import type { PostgresSession } from './session.ts';
import { noRows } from './session.ts';
import { MessageType } from './wire/message-reader.ts';

/** Sent at once: enough to keep the server busy while the next are written. */
const pieceBytes = 256 * 1024;

/** Rows of parameters for one statement of the server. */
export interface RowsRun {
  readonly session: PostgresSession;
  readonly sql: string;
  readonly named: NamedStatement | undefined;
  /** Types of the parameters, the same in all rows. */
  readonly oids: readonly number[];
  readonly rows: readonly Parameters[];
  /** What each run returns, its formats as they are to be asked for; none: no rows. */
  readonly columns: readonly PgColumn[];
  readonly request: RunRequest;
  readonly options: ResultOptions;
  readonly call: DriverCall;
}

const plan: Plan = {
  candidates: [{ name: 'rows' }],
  chosen: 'rows',
  reason: 'bound rows are sent one after the other without waiting for answers',
};

/** Sends all runs in one go, and gives what they return as one result. The first failure ends it. */
export class BoundRowsResult implements DriverRowsResult {
  readonly schema: Schema;
  readonly plan: Plan = plan;
  readonly cost: Cost = newCost();
  readonly batches: AsyncIterator<RecordBatch, undefined>;
  completedRuns = 0;
  #rowsAffected = 0;
  readonly #run: RowsRun;
  readonly #decoder: RowDecoder | undefined;
  #failure: unknown;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(run: RowsRun) {
    const { session, columns, options, request } = run;
    this.#run = run;
    this.#decoder =
      columns.length === 0
        ? undefined
        : new RowDecoder(columns, session.types, { ...options, framing: 'rows', limit: request.limit });
    this.schema = this.#decoder?.schema ?? new Schema([]);
    this.batches = {
      next: () => {
        const next = session.stoppable(run.call.signal, () => this.#next());
        this.#pending = next.catch(() => undefined);
        return next;
      },
      return: async () => {
        session.cancel();
        await this.#pending;
        await session.stop();
        this.#end();
        return { done: true, value: undefined };
      },
    };
    session.live = this.batches as { return(): Promise<unknown> };
    session.expectReady();
    this.#send().catch((error) => {
      this.#failure ??= error;
    });
  }

  get rowsAffected(): number {
    return this.#rowsAffected;
  }

  async #send(): Promise<void> {
    const { session, named, sql, oids, rows, columns } = this.#run;
    const { writer, channel } = session;
    const name = named?.name ?? '';
    if (named?.parsed !== true) {
      if (named !== undefined) writer.close('statement', name);
      writer.parse(name, sql, oids);
    }
    const resultFormats = columns.map(({ format }) => format);
    try {
      for (const row of rows) {
        writer.bind(encodeParameters(row), { statement: name, resultFormats }).execute();
        if (writer.byteLength >= pieceBytes) await channel.write(writer.take());
      }
    } finally {
      // A row that cannot be sent ends it too: the server answers what came before.
      await channel.write(writer.sync().take());
    }
  }

  async #next(): Promise<IteratorResult<RecordBatch, undefined>> {
    const { session, sql } = this.#run;
    const decoder = this.#decoder;
    try {
      while (session.busy) {
        const message = await session.readRows(decoder ?? noRows);
        if (message === undefined) {
          const batch = decoder?.finish();
          if (batch !== undefined) return { done: false, value: batch };
        } else if (message.type === MessageType.CommandComplete) this.#count(readRowsAffected(message.body));
        else if (message.type === MessageType.ErrorResponse) this.#failure ??= readError(message.body, { sql });
      }
    } catch (error) {
      this.#failure = error;
      await session.stop();
    }
    this.#end();
    const last = decoder?.finish();
    if (last !== undefined) return { done: false, value: last };
    if (this.#failure !== undefined) throw this.#failure;
    const { rows } = this.#run;
    if (this.completedRuns < rows.length) {
      throw new RecurveError('INTERNAL', `the server answered ${this.completedRuns} of ${rows.length} bound rows`);
    }
    return { done: true, value: undefined };
  }

  #count(rowsAffected: number): void {
    this.completedRuns++;
    this.#rowsAffected = rowsAffected < 0 || this.#rowsAffected < 0 ? -1 : this.#rowsAffected + rowsAffected;
  }

  #end(): void {
    const { session, named } = this.#run;
    if (named !== undefined) named.parsed = this.#failure === undefined;
    if (session.live === this.batches) session.live = undefined;
  }
}
