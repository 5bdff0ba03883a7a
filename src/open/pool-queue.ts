import { type CallOptions, CallScope } from '../adbc/call.ts';
import type { RecurveError } from '../error.ts';

/** One who waits. */
export interface Waiter<T> {
  give(value: T): void;
  /** Nothing happens to one who has left or was given something. */
  fail(error: unknown): void;
}

/** Those who wait, the longest first. Whoever's signal fires or whose time is over leaves by himself. */
export class WaitingQueue<T> {
  readonly #waiters: Waiter<T>[] = [];

  get length(): number {
    return this.#waiters.length;
  }

  /** Waits at the end of the queue. `onWaiting` is called once the place is taken, `onTimeout` makes the error of the limit. */
  async wait(options: CallOptions, onWaiting: () => void, onTimeout: () => RecurveError): Promise<T> {
    const scope = new CallScope(options);
    try {
      return await new Promise<T>((resolve, reject) => {
        const waiter: Waiter<T> = {
          give: resolve,
          fail: (error) => {
            this.#leave(waiter);
            reject(error);
          },
        };
        const onAbort = (): void => {
          // Those who are left are counted in the error.
          this.#leave(waiter);
          reject(scope.error?.status === 'TIMEOUT' ? onTimeout() : scope.error);
        };
        scope.signal.addEventListener('abort', onAbort, { once: true });
        this.#waiters.push(waiter);
        onWaiting();
      });
    } finally {
      scope.end();
    }
  }

  /** Takes the one who has waited longest out of the queue. */
  shift(): Waiter<T> | undefined {
    return this.#waiters.shift();
  }

  /** The one before whom `index` others wait. */
  at(index: number): Waiter<T> | undefined {
    return this.#waiters[index];
  }

  failAll(error: RecurveError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.fail(error);
  }

  #leave(waiter: Waiter<T>): void {
    const at = this.#waiters.indexOf(waiter);
    if (at >= 0) this.#waiters.splice(at, 1);
  }
}
