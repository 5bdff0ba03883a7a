import { raceReason } from '../arrow/ipc/abort.ts';
import { RecurveError } from '../error.ts';
import type { Arguments } from './argument.ts';
import type { CommandIo, Sink } from './io.ts';

/** The longest time a timer of the platform can wait. */
const maxTimeoutMs = 2_147_483_647;

/** A signal that fires when `interrupt` does or the time is over; its reason is the error to end with. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Lets go of timer and listener. */
  clear(): void;
}

function startDeadline(interrupt: AbortSignal, timeoutMs: number | undefined): Deadline {
  const controller = new AbortController();
  const onInterrupt = (): void => controller.abort(interrupt.reason);
  if (interrupt.aborted) onInterrupt();
  else interrupt.addEventListener('abort', onInterrupt, { once: true });
  const onTimeout = (): void => {
    const message = `not done within ${(timeoutMs ?? 0) / 1000} s`;
    controller.abort(new RecurveError('TIMEOUT', message, { hint: 'raise --timeout or ask for less' }));
  };
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, Math.min(timeoutMs, maxTimeoutMs));
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      interrupt.removeEventListener('abort', onInterrupt);
    },
  };
}

/**
 * Does a command's work within its `--timeout`, in seconds, and until it is interrupted. Whatever an abort makes fail, its
 * reason is what is thrown.
 */
export async function withDeadline<T>(
  args: Arguments,
  io: CommandIo,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeoutS = args.positive('timeout', { whole: false });
  const { signal, clear } = startDeadline(io.signal, timeoutS === undefined ? undefined : timeoutS * 1000);
  try {
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    clear();
  }
}

/** How long a call that takes no signal may go on once the signal has fired. */
const patienceMs = 250;

/** Calls that were given up and still run: each may hold a thread, for which a regular exit of the process would wait. */
const givenUp = new Set<Promise<unknown>>();

/** Settles as `work` does, but rejects with the signal's reason when `work` still runs a moment after that has fired. */
export async function waitPatiently<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => {};
  const late = new Promise<never>((_, reject) => {
    const giveUp = (): void => {
      const settle = (): unknown => givenUp.delete(work);
      givenUp.add(work);
      work.then(settle, settle);
      reject(signal.reason);
    };
    onAbort = () => {
      timer = setTimeout(giveUp, patienceMs);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Whether a call that was given up still runs. */
export function isStuck(): boolean {
  return givenUp.size > 0;
}

/** The sink, but a write that waits for a slow reader gives up when the signal fires. */
export function abortable(sink: Sink, signal: AbortSignal): Sink {
  return { write: (bytes) => raceReason(sink.write(bytes), signal) };
}
