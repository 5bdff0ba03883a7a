import { RecurveError } from '../../../error.ts';

/** What bounds a piece of work. */
export interface DeadlineOptions {
  readonly signal: AbortSignal;
  /** 0: no limit. */
  readonly timeoutMs: number;
  /** For the message, e.g. `connecting to db1:5432`. */
  readonly what: string;
}

/**
 * Does work under a signal that fires with the given one, or with TIMEOUT after `timeoutMs`. Rejects with its reason at once; the
 * work is expected to end soon after, with nobody to report to but `discard`.
 */
export async function withDeadline<T>(
  { signal, timeoutMs, what }: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<T>,
  discard?: (late: T) => void,
): Promise<T> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  const expire = (): void =>
    controller.abort(
      new RecurveError('TIMEOUT', `${what} took longer than connect_timeout, ${timeoutMs / 1000} s`, {
        hint: 'is the host right, and does a firewall let the connection through?',
        exitCode: 3,
      }),
    );
  const timer = timeoutMs === 0 ? undefined : setTimeout(expire, timeoutMs);
  const working = work(controller.signal);
  try {
    return await raceSignal(working, controller.signal);
  } catch (error) {
    working.then(discard, () => {});
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Settles as `work` does, or rejects with the signal's reason. */
export function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
