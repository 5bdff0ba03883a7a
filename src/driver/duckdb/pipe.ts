import type { DriverResult } from '../../adbc/spi.ts';
import { newCost } from '../../delivery/cost.ts';
import { checkPath, makeResult, type Run } from './execution.ts';
import { parseText } from './preparation.ts';
import type { NativeSession } from './session.ts';
import { readTimezoneSetting } from './timezone.ts';

const inheritedFile = /\/dev\/stdin\b|\/(?:dev|proc\/self)\/fd\/\d/;
const transactionWord = /\b(?:begin|start|commit|end|rollback|abort)\b/i;

/**
 * Whether a text reads what can be read only once: it names the process's input or another file that it inherited. Not
 * for a text that may begin or end a transaction, whose statements must be seen one by one.
 */
export function readsPipe(sql: string): boolean {
  return inheritedFile.test(sql) && !transactionWord.test(sql);
}

/**
 * Runs a text without parameters in one call, several statements too. Preparing it first would bind it twice, and each
 * time a reader such as `read_csv` looks into its file: of a pipe, the second time finds the rest. The result is held
 * whole in memory.
 */
export async function runWhole(
  session: NativeSession,
  sql: string,
  { request, call, startedMs }: Run,
): Promise<DriverResult> {
  checkPath(request);
  const { signal } = call;
  await parseText(session, sql, signal);
  // Running cuts off what still streams, which nobody but the garbage collector then frees.
  if (session.live !== undefined) session.cutStreams++;
  session.live = undefined;
  const result = await session.query(sql, signal);
  session.current = undefined;
  const cost = newCost();
  cost.requests++;
  cost.submitMs = performance.now() - startedMs;
  const timezone = await readTimezoneSetting(session, signal);
  return makeResult(session, result, {
    limit: request.limit,
    cost,
    signal,
    timezone,
    startedMs,
    sql,
    explain: undefined,
  });
}
