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

/** Throws INVALID_ARGUMENT for a path that is not there. */
export function checkPath({ path = chunks.chosen }: RunRequest): void {
  if (path === chunks.chosen) return;
  throw new RecurveError('INVALID_ARGUMENT', `DuckDB has no path ${JSON.stringify(path)}`, {
    exitCode: 2,
    hint: `it has: ${chunks.chosen}`,
  });
}

/** Binds the parameters, executes, and gives the result as a stream of batches. */
export async function runPrepared(
  session: NativeSession,
  files: ArrowFiles,
  text: PreparedText,
  { request, call, startedMs }: Run,
): Promise<DriverResult> {
  const { binding } = session;
  const { signal } = call;
  const { sql, prepared, statementCount } = text;
  const { parameters, limit } = request;
  checkPath(request);
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

  const canExplain = binding.result_statement_type(result) === binding.StatementType.SELECT;
  return makeResult(session, result, {
    limit,
    cost,
    signal,
    timezone,
    startedMs,
    sql,
    explain: canExplain ? (most) => findFailure({ session, sql, statementCount, bind }, most) : undefined,
  });
}

/** What a result is read with, besides what the session knows. */
export interface ResultParts
  extends Pick<StreamSource, 'limit' | 'cost' | 'signal' | 'timezone' | 'startedMs' | 'explain'> {
  readonly sql: string;
}

/** The result of an execution, as a stream of batches where it has rows. */
export async function makeResult(
  session: NativeSession,
  result: NativeResult,
  { sql, ...parts }: ResultParts,
): Promise<DriverResult> {
  const { binding } = session;
  const { cost } = parts;
  const { ResultType } = binding;
  const returns = binding.result_return_type(result);
  if (returns !== ResultType.QUERY_RESULT) {
    const rowsAffected = returns === ResultType.CHANGED_ROWS ? binding.rows_changed(result) : -1;
    return { schema: new Schema([]), rowsAffected, plan: chunks, cost, batches: noBatches() };
  }
  const hint = session.inTransaction
    ? 'the message is that of a second run outside of the transaction, on what is committed'
    : undefined;
  const rowsAffected = countChanges(binding, result);
  try {
    const { schema, batches } = createBatchStream(
      makeSource(session, result, {
        ...parts,
        toError: (message) => withHint(toRecurveError(message, { sql }), hint),
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

function withHint(error: RecurveError, hint: string | undefined): RecurveError {
  if (hint === undefined) return error;
  const { status, message, exitCode, details } = error;
  return new RecurveError(status, message, { hint: error.hint ?? hint, exitCode, details });
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
