import { RecurveError } from '../../error.ts';

/** What a call throws that failed with `error`: CANCELLED or TIMEOUT where that is the signal's reason, else the error. */
export function abortError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted !== true || error !== signal.reason || RecurveError.is(error)) return error;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  return new RecurveError(
    isTimeout ? 'TIMEOUT' : 'CANCELLED',
    isTimeout ? 'not done in time' : 'aborted by its signal',
    { cause: error },
  );
}

/** `work`, or the signal's error as soon as it fires: whoever does the work may not heed the signal. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  try {
    return await raceReason(work, signal);
  } catch (error) {
    throw abortError(error, signal);
  }
}

/** As {@link raceAbort}, but rejects with the signal's reason as it is. */
export async function raceReason<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } catch (error) {
    work.catch(() => {});
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
