import type { DriverCall, DriverResult, RunRequest } from '../../adbc/spi.ts';
import type { RecordBatch } from '../../arrow/batch.ts';
import { Schema } from '../../arrow/schema.ts';
import { newCost } from '../../delivery/cost.ts';
import type { Plan } from '../../delivery/plan.ts';
import { RecurveError } from '../../error.ts';
import { assertAllowed } from './access.ts';
import type { ArrowFiles } from './arrow-file.ts';
import type { Binding } from './binding.ts';
import { toRecurveError } from './error.ts';
import { findFailure } from './failure.ts';
import { bindParameters } from './parameter.ts';
import type { PreparedText } from './preparation.ts';
import type { NativePrepared, NativeResult } from './read/native.ts';
import type { NativeSession } from './session.ts';
import { createBatchStream, type StreamSource } from './stream.ts';
import { readTimezone } from './timezone.ts';

/** How a prepared statement is executed. */
export interface ExecuteOptions {
  readonly signal: AbortSignal;
  readonly sql: string;
  /** Whether the whole result is made before the call resolves; default false: a SELECT streams. */
  readonly materialised?: boolean;
}

/** Executes a prepared statement whose parameters are bound, and notes what it does to the transaction. */
export async function executePrepared(
  session: NativeSession,
  files: ArrowFiles,
  prepared: NativePrepared,
  { signal, sql, materialised = false }: ExecuteOptions,
): Promise<NativeResult> {
  const { binding } = session;
  assertAllowed(session, prepared, sql);
  const isTransaction = binding.prepared_statement_type(prepared) === binding.StatementType.TRANSACTION;
  // Executing cuts off what still streams, which nobody but the garbage collector then frees.
  if (session.live !== undefined) session.cutStreams++;
  session.live = undefined;
  try {
    const result = await session.call(
      () => (materialised ? binding.execute_prepared(prepared) : binding.execute_prepared_streaming(prepared)),
      { signal, sql, discard: (late) => session.endStream(late) },
    );
    session.current = undefined;
    // BEGIN succeeds outside of a transaction only, COMMIT and ROLLBACK only inside of one.
    if (isTransaction) session.inTransaction = !session.inTransaction;
    return result;
  } catch (error) {
    if (isTransaction && !String(error).includes('within a transaction')) session.inTransaction = false;
    throw error;
  } finally {
    if (isTransaction && !session.inTransaction) files.transactionEnded();
  }
}

/** One run of a prepared statement. */
export interface Run {
  readonly request: RunRequest;
  readonly call: DriverCall;
  /** `performance.now()` of the call. */
  readonly startedMs: number;
}

const chunks: Plan = {
  candidates: [{ name: 'chunks' }],
  chosen: 'chunks',
  reason: 'the database is in this process: its vectors are read chunk by chunk',
};

/** Binds the parameters, executes, and gives the result as a stream of batches. */
export async function runPrepared(
  session: NativeSession,
  files: ArrowFiles,
  text: PreparedText,
  { request, call, startedMs }: Run,
): Promise<DriverResult> {
  const { binding, connection } = session;
  const { signal } = call;
  const { sql, prepared, statementCount } = text;
  const { path = chunks.chosen, parameters, limit } = request;
  if (path !== chunks.chosen) {
    throw new RecurveError('INVALID_ARGUMENT', `DuckDB has no path ${JSON.stringify(path)}`, {
      hint: 'it has: chunks',
    });
  }
  const cost = newCost();
  const timezone = await readTimezone(session, prepared, signal);
  let integers: 'wide' | 'narrow' = 'wide';
  const bind = (target: NativePrepared): boolean =>
    bindParameters(binding, target, { names: text.parameterNames, parameters, integers });
  const canNarrow = bind(prepared);
  const execute = (): Promise<NativeResult> =>
    files.serve(call, () => executePrepared(session, files, prepared, { signal, sql }));
  const result = await execute().catch((error: unknown) => {
    if (!canNarrow || !isUnknownFunction(error)) throw error;
    integers = 'narrow';
    bind(prepared);
    return execute().catch(() => {
      throw error;
    });
  });
  cost.requests++;
  cost.submitMs = performance.now() - startedMs;

  const { ResultType } = binding;
  const returns = binding.result_return_type(result);
  if (returns !== ResultType.QUERY_RESULT) {
    const rowsAffected = returns === ResultType.CHANGED_ROWS ? binding.rows_changed(result) : -1;
    return { schema: new Schema([]), rowsAffected, plan: chunks, cost, batches: noBatches() };
  }
  const canExplain =
    statementCount === 1 &&
    binding.result_statement_type(result) === binding.StatementType.SELECT &&
    !session.inTransaction;
  const rowsAffected = countChanges(binding, result);
  try {
    const { schema, batches } = createBatchStream(
      makeSource(session, result, {
        limit,
        cost,
        signal,
        timezone,
        startedMs,
        toError: (message) => toRecurveError(message, { sql }),
        explain: canExplain ? (most) => findFailure({ binding, connection, sql, bind }, most) : undefined,
      }),
    );
    session.live = batches;
    return { schema, rowsAffected, plan: chunks, cost, batches };
  } catch (error) {
    await session.endStream(result);
    throw error;
  }
}

/**
 * What the stream reads from. It lets go of the result when it has ended, since a reader may be kept long after, and the
 * result might hold the whole instance.
 */
function makeSource(
  session: NativeSession,
  result: NativeResult,
  rest: Pick<StreamSource, 'limit' | 'cost' | 'signal' | 'timezone' | 'startedMs' | 'toError' | 'explain'>,
): StreamSource {
  const { binding, connection, inTransaction } = session;
  const run = { result: result as NativeResult | undefined };
  session.current = run;
  return {
    ...rest,
    binding,
    connection,
    get result(): NativeResult {
      if (run.result === undefined) throw new RecurveError('INTERNAL', 'a result was read after its end');
      return run.result;
    },
    inTransaction,
    isCurrent: () => session.current === run,
    onCut: () => {
      session.cutStreams++;
    },
    onEnd: () => {
      run.result = undefined;
      if (session.current === run) session.live = undefined;
    },
  };
}

/** With RETURNING, which is never streamed, a row is returned for each that was changed; -1 for what changes none. */
function countChanges(binding: Binding, result: NativeResult): number {
  const { INSERT, UPDATE, DELETE, MERGE_INTO } = binding.StatementType;
  const changes: readonly number[] = [INSERT, UPDATE, DELETE, MERGE_INTO];
  const isChange = changes.includes(binding.result_statement_type(result));
  return isChange && !binding.result_is_streaming(result) ? binding.row_count(result) : -1;
}

/** Whether the binder knows no function of these argument types: nothing has run. */
function isUnknownFunction(error: unknown): boolean {
  return RecurveError.is(error) && error.message.startsWith('Binder Error: No function matches');
}

// biome-ignore lint/correctness/useYield: a statement without a result has no batches.
async function* noBatches(): AsyncGenerator<RecordBatch, undefined> {
  return undefined;
}
