import type { RecurveError } from '../error.ts';
import { type CallOptions, CallScope } from './call.ts';

/** The calls on one source: made one at a time, in the order in which they came, and stopped together. */
export class CallQueue {
  /** Calls and results whose source may still run. */
  readonly #scopes = new Set<CallScope>();
  #turn: Promise<void> = Promise.resolve();

  /** Resolves when the calls made so far are done with the source. */
  get turn(): Promise<void> {
    return this.#turn;
  }

  /** Begins a call; it may be stopped until its scope ends. */
  open(options: CallOptions, owner?: object): CallScope {
    const scope = new CallScope(options, (ended) => this.#scopes.delete(ended), owner);
    this.#scopes.add(scope);
    return scope;
  }

  /** Runs `work` when all earlier calls are done with the source, whatever their callers were told meanwhile. */
  run<T>(scope: CallScope, work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => {
      scope.throwIfAborted();
      return work();
    });
    this.#turn = done.then(
      () => {},
      () => {},
    );
    return scope.race(done);
  }

  /** Stops what runs, or of that what `owner` owns; gives the number of calls that were told. */
  stop(error: RecurveError, owner?: object): number {
    const running = [...this.#scopes].filter((scope) => owner === undefined || scope.owner === owner);
    for (const scope of running) scope.abort(error);
    return running.length;
  }
}
