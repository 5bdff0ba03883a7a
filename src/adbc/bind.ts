import { RecordBatch } from '../arrow/batch.ts';
import { makeBuilder } from '../arrow/build/make.ts';
import type { Column } from '../arrow/column.ts';
import type { Field, Schema } from '../arrow/schema.ts';
import { type Cost, newCost } from '../delivery/cost.ts';
import type { Plan } from '../delivery/plan.ts';
import { RecurveError } from '../error.ts';
import { type BatchData, type BatchSource, openBatchSource } from './batch-source.ts';
import type { Parameters } from './parameter.ts';
import type {
  DriverCall,
  DriverConnection,
  DriverResult,
  DriverRowsResult,
  DriverStatement,
  RunRequest,
} from './spi.ts';

/** Rows that go to a driver at once, where it takes several. */
const maxRowsAtOnce = 1000;

/** Rows that are bound to a statement: each is one execution of it. */
export class BoundRows {
  readonly #data: BatchData;
  readonly #once: boolean;
  #read = false;

  /** `once` where the data can be read a single time. */
  constructor(data: BatchData, once: boolean) {
    this.#data = data;
    this.#once = once;
  }

  /** A null of each column's type, for what depends on types alone; none where they are not known before the data is read. */
  types(): Parameters {
    const data = this.#data;
    return 'schema' in data ? typedNulls(data.schema) : [];
  }

  /** Throws INVALID_STATE for a stream that was read before. */
  async open(signal: AbortSignal): Promise<BatchSource> {
    if (this.#once && this.#read) {
      throw new RecurveError('INVALID_STATE', 'the bound stream has been read by an earlier run', {
        hint: 'bind another one, or a table, which can be read again',
      });
    }
    this.#read = true;
    return openBatchSource(this.#data, signal);
  }
}

/** What {@link runRows} runs. */
export interface RowRun {
  readonly connection: DriverConnection;
  readonly statement: DriverStatement;
  readonly rows: BoundRows;
  readonly request: RunRequest;
  /** Whether the rows are a transaction of their own. */
  readonly transact: boolean;
}

/**
 * Runs a statement once for each row, and gives the results one after the other as one. With `transact` that is one
 * transaction: committed when the last row's result has been read, else rolled back. Throws INVALID_ARGUMENT when the columns do
 * not fit the parameters; what a row throws names the row.
 */
export async function runRows(run: RowRun, call: DriverCall): Promise<DriverResult> {
  const stopped = new AbortController();
  const signal = AbortSignal.any([call.signal, stopped.signal]);
  const source = await run.rows.open(signal);
  const work = new RowRuns(run, source, { signal, stop: () => stopped.abort(stoppedError()) });
  await work.start();
  return work;
}

/** How a {@link RowRuns} is told to stop, and stops by itself. */
interface Stopping extends DriverCall {
  readonly stop: () => void;
}

class RowRuns implements DriverResult {
  readonly plan: Plan = {
    candidates: [{ name: 'rows' }],
    chosen: 'rows',
    reason: 'one execution for each bound row',
  };
  readonly cost: Cost = newCost();
  readonly batches: AsyncIterator<RecordBatch, undefined> = { next: () => this.#take(), return: () => this.#stop() };
  readonly #run: RowRun;
  readonly #source: BatchSource;
  readonly #call: Stopping;
  readonly #rows: AsyncIterator<Parameters>;
  #schema: Schema;
  #current: (DriverResult & Partial<DriverRowsResult>) | undefined;
  /** Rows whose results have been read. */
  #rowsDone = 0;
  /** Rows that run now. */
  #rowsRunning = 0;
  #changed = 0;
  #known = true;
  #transacting = false;
  #ended = false;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(run: RowRun, source: BatchSource, call: Stopping) {
    this.#run = run;
    this.#source = source;
    this.#call = call;
    this.#schema = source.schema;
    this.#rows = readRows(run.statement.parameterNames, source);
  }

  get schema(): Schema {
    return this.#schema;
  }

  get rowsAffected(): number {
    return this.#known ? this.#changed : -1;
  }

  /** Begins, and runs the first row, whose schema is that of all. */
  async start(): Promise<void> {
    const { connection, statement, transact } = this.#run;
    try {
      if (transact) {
        this.#transacting = true;
        await connection.session.transaction('begin', this.#call);
      }
      if (await this.#runNext()) return;
      // Nothing runs: the types of the columns tell the schema all the same.
      this.#schema = await statement.description.getSchema(typedNulls(this.#source.schema), this.#call);
    } catch (error) {
      await this.#end('rollback');
      throw error;
    }
  }

  #take(): Promise<IteratorResult<RecordBatch, undefined>> {
    const taken = this.#next();
    this.#pending = taken.catch(() => undefined);
    return taken;
  }

  async #next(): Promise<IteratorResult<RecordBatch, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      while (this.#current !== undefined) {
        const { batches } = this.#current;
        const next = await this.#named(() => batches.next());
        if (!next.done) return { done: false, value: this.#conform(next.value) };
        this.#count(this.#current);
        this.#current = undefined;
        this.#rowsDone += this.#rowsRunning;
        await this.#runNext();
      }
      await this.#end('commit');
      return { done: true, value: undefined };
    } catch (error) {
      await this.#end('rollback');
      throw error;
    }
  }

  /** The row that runs now, from 1, as far as the driver tells. */
  get #row(): number {
    return this.#rowsDone + (this.#current?.completedRuns ?? 0) + 1;
  }

  /** False when there are no more rows. */
  async #runNext(): Promise<boolean> {
    const { statement, request } = this.#run;
    const rows = await this.#takeRows(statement.runEach === undefined ? 1 : maxRowsAtOnce);
    const [first] = rows;
    if (first === undefined) return false;
    this.#call.signal.throwIfAborted();
    this.#rowsRunning = rows.length;
    const result = await this.#named(
      () =>
        statement.runEach?.(rows, request, this.#call) ?? statement.run({ ...request, parameters: first }, this.#call),
    );
    if (this.#rowsDone === 0) this.#schema = result.schema;
    this.#current = result;
    return true;
  }

  async #takeRows(count: number): Promise<readonly Parameters[]> {
    const rows: Parameters[] = [];
    while (rows.length < count) {
      const next = await this.#rows.next();
      if (next.done) break;
      rows.push(next.value);
    }
    return rows;
  }

  /** Sources type a result by its parameters, some by their being null too: such a column has nothing but nulls. */
  #conform(batch: RecordBatch): RecordBatch {
    const schema = this.#schema;
    if (batch.schema === schema || `${batch.schema}` === `${schema}`) return batch;
    const columns = schema.fields.map((field, i) => {
      const own = batch.schema.fields[i];
      const column = batch.columns[i];
      if (column !== undefined && own !== undefined && `${own}` === `${field}`) return column;
      if (column === undefined || column.nullCount < column.length || batch.columns.length > schema.fields.length) {
        throw new RecurveError(
          'INVALID_DATA',
          `bound row ${this.#row} gives ${own ?? 'no column'}, but the rows before it ${field}`,
          { hint: 'cast it in the statement' },
        );
      }
      return makeNulls(field, column.length);
    });
    return new RecordBatch(schema, columns, batch.numRows);
  }

  #count({ rowsAffected, cost }: DriverResult): void {
    if (rowsAffected < 0) this.#known = false;
    else this.#changed += rowsAffected;
    this.cost.wireBytes += cost.wireBytes;
    this.cost.requests += cost.requests;
    this.cost.submitMs ||= cost.submitMs;
    this.cost.firstByteMs ||= cost.firstByteMs;
    this.cost.engineMs += cost.engineMs;
    this.cost.decodeMs += cost.decodeMs;
    this.cost.fallbacks.push(...cost.fallbacks);
  }

  async #stop(): Promise<IteratorResult<RecordBatch, undefined>> {
    if (!this.#ended) {
      this.#call.stop();
      await this.#pending;
      await this.#end('rollback');
    }
    return { done: true, value: undefined };
  }

  /** Once. A rollback is not stopped by what made it necessary, and says nothing of its own. */
  async #end(action: 'commit' | 'rollback'): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#source.close();
    await this.#current?.batches.return?.().catch(() => undefined);
    this.#current = undefined;
    if (!this.#transacting) return;
    const { connection } = this.#run;
    const rollback = (): Promise<void> =>
      connection.session.transaction('rollback', { signal: new AbortController().signal }).catch(() => undefined);
    if (action === 'rollback') return rollback();
    try {
      await connection.session.transaction('commit', this.#call);
    } catch (error) {
      await rollback();
      throw error;
    }
  }

  async #named<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#call.signal.aborted || !RecurveError.is(error)) throw error;
      const { status, message, hint, sqlState, vendorCode, details, exitCode } = error;
      throw new RecurveError(status, `bound row ${this.#row}: ${message}`, {
        hint,
        sqlState,
        vendorCode,
        details,
        exitCode,
        cause: error,
      });
    }
  }
}

/**
 * The parameters of each row: by name where the statement's parameters have names and the columns are these, by position
 * otherwise.
 */
async function* readRows(names: readonly string[], { schema, batches }: BatchSource): AsyncGenerator<Parameters> {
  if (schema.fields.length !== names.length) {
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `the statement has ${names.length} parameters, and the bound rows ${schema.fields.length} columns`,
    );
  }
  const order = names.map((name) => schema.indexOf(name));
  const byName = names.length > 0 && order.every((at) => at >= 0);
  const positions = byName ? order : names.map((_, i) => i);
  for await (const batch of batches) {
    const columns = positions.map((at) => batch.column(at));
    for (let row = 0; row < batch.numRows; row++) yield columns.map((column) => column.slice(row, row + 1));
  }
}

function typedNulls({ fields }: Schema): Column[] {
  return fields.map((field) => makeNulls(field, 1));
}

function makeNulls(field: Field, length: number): Column {
  const builder = makeBuilder(field);
  for (let i = 0; i < length; i++) builder.append(null);
  return builder.finish();
}

function stoppedError(): RecurveError {
  return new RecurveError('CANCELLED', 'the result was closed before all bound rows were run');
}
