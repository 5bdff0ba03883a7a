import { RecurveError } from '../error.ts';
import type { DriverCall } from './spi.ts';

/** What every asynchronous call takes. */
export interface CallOptions {
  /** When it fires, the source is told to stop and the call rejects with CANCELLED, the signal's reason as `cause`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Limit in milliseconds, 0 to 2,147,483,647; when it is over, the source is told to stop and the call rejects with
   * TIMEOUT. Default: no limit. Waiting for earlier calls on the same connection counts. A query's limit ends when the
   * source has sent its last batch, so a slow reader counts where it holds the source back.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * One call's life: joins the caller's signal, the time limit and a close of the connection in one signal for the driver.
 * Until {@link end} it holds a listener on the caller's signal and a timer; afterwards nothing.
 */
export class CallScope implements DriverCall {
  readonly #controller = new AbortController();
  /** What the call was made on, for calls that can be cancelled together. */
  readonly owner: object | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #onEnd: ((scope: CallScope) => void) | undefined;
  readonly #onOuterAbort = (): void => this.abort(this.#cancelled());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;

  /** Throws, and holds nothing, when the signal has fired or there is no time: the source must not be asked. */
  constructor(options: CallOptions, onEnd?: (scope: CallScope) => void, owner?: object) {
    this.owner = owner;
    this.#outer = options.signal;
    this.#onEnd = onEnd;
    if (this.#outer?.aborted) throw this.#cancelled();
    const { timeoutMs } = options;
    if (timeoutMs === 0) throw timedOut(timeoutMs);
    this.#outer?.addEventListener('abort', this.#onOuterAbort, { once: true });
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.abort(timedOut(timeoutMs)), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was stopped, or undefined. */
  get error(): RecurveError | undefined {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  /** What the caller's signal says after {@link end}, when nobody listens to it any more. */
  get lateError(): RecurveError | undefined {
    return this.#outer?.aborted ? this.#cancelled() : undefined;
  }

  throwIfAborted(): void {
    if (this.error !== undefined) throw this.error;
  }

  /** Stops the call with this error. Nothing happens once the call has ended. */
  abort(error: RecurveError): void {
    if (!this.#ended) this.#controller.abort(error);
  }

  /** Settles as `work` does, but rejects at once when the call is stopped; `work` then has nobody to report to. */
  race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise<T>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason);
      const settled = (): void => signal.removeEventListener('abort', onAbort);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      void work.then(resolve, reject).finally(settled);
    });
  }

  /** Lets go of timer and listener. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#onOuterAbort);
    this.#onEnd?.(this);
  }

  #cancelled(): RecurveError {
    return new RecurveError('CANCELLED', "cancelled by the caller's signal", { cause: this.#outer?.reason });
  }
}

function timedOut(timeoutMs: number): RecurveError {
  return new RecurveError('TIMEOUT', `not done within the limit of ${timeoutMs} ms`, {
    hint: 'give it more time with timeoutMs, or ask for less',
  });
}

/** The error as the one error class: what is something else comes from a fault in a driver and becomes INTERNAL. */
export function asRecurveError(error: unknown): RecurveError {
  if (RecurveError.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const [line = ''] = message.split('\n', 1);
  return new RecurveError('INTERNAL', line || 'the driver failed without a message', { cause: error });
}
