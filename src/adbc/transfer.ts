import type { RecordBatch } from '../arrow/batch.ts';
import { DeliveryLog, type DeliveryReport, type Outcome } from '../delivery/report.ts';
import { BatchWindow, type WindowEnd } from '../delivery/window.ts';
import { RecurveError } from '../error.ts';
import { asRecurveError, type CallScope } from './call.ts';
import type { Observation } from './observer.ts';
import type { DriverResult } from './spi.ts';

/** What a transfer is made of. */
export interface TransferParts {
  readonly source: DriverResult;
  /** Ended by the transfer as soon as the source will not be asked again. */
  readonly scope: CallScope;
  readonly windowBytes: number;
  readonly connectMs: number;
  /** `performance.now()` of the call. */
  readonly startedMs: number;
  /** Called once the source will not be asked again; with an error where it failed. */
  readonly onSourceEnded?: (error: RecurveError | undefined) => void;
  /** Told how the delivery ended. */
  readonly observation?: Observation | undefined;
}

/** A result on its way, behind {@link Result}: the window, the count of what is delivered, and how it may end. */
export class Transfer {
  readonly source: DriverResult;
  readonly #scope: CallScope;
  readonly #log: DeliveryLog;
  readonly #window: BatchWindow;
  /** Resolves when the source will not be asked again. */
  readonly whenSourceEnded: Promise<void>;
  readonly #onSourceEnded: (error: RecurveError | undefined) => void;
  readonly #observation: Observation | undefined;

  constructor({ source, scope, windowBytes, connectMs, startedMs, onSourceEnded, observation }: TransferParts) {
    this.source = source;
    this.#scope = scope;
    let resolveEnded = (): void => {};
    this.whenSourceEnded = new Promise((resolve) => {
      resolveEnded = resolve;
    });
    this.#onSourceEnded = (error) => {
      onSourceEnded?.(error);
      resolveEnded();
    };
    this.#observation = observation;
    this.#log = new DeliveryLog({ source, connectMs, startedMs });
    this.#window = new BatchWindow(withOneError(source.batches, scope), {
      windowBytes,
      observer: {
        arrived: () => this.#log.arrive(),
        taken: (batch, byteLength) => {
          this.#log.take(batch.numRows, byteLength);
          if (this.#window.drained) this.#end('complete');
        },
        ended: (end) => this.#sourceEnded(end),
      },
    });
    const onAbort = (): void => {
      if (scope.error !== undefined) this.stop(scope.error).catch(() => {});
    };
    scope.signal.addEventListener('abort', onAbort);
    onAbort();
  }

  /** Whether the source will not be asked again: it sent everything, failed or was stopped. Batches may be left to read. */
  get sourceEnded(): boolean {
    return this.#window.ended;
  }

  /** What every further read throws, batches still held aside; undefined while it runs and after a good end. */
  get error(): unknown {
    return this.#window.error;
  }

  report(): DeliveryReport {
    return this.#log.report();
  }

  next(): Promise<RecordBatch | undefined> {
    const late = this.#window.ended ? this.#scope.lateError : undefined;
    // Nothing is awaited: the source has ended.
    if (late !== undefined) this.stop(late).catch(() => {});
    return this.#window.next();
  }

  /** Ends it for this reason unless it has ended; resolves when the source has stopped. */
  stop(error: RecurveError, outcome: Exclude<Outcome, 'running'> = outcomeOf(error)): Promise<void> {
    this.#end(outcome, error);
    return this.#window.stop(error);
  }

  /**
   * Ends it in favour of another call; resolves when the source is free, whether or not stopping it went well. What the
   * source has sent whole stays readable.
   */
  async supersede(error?: RecurveError): Promise<void> {
    const stopped = this.#window.ended ? this.#window.stopped : this.stop(error ?? superseded(), 'superseded');
    await stopped.catch(() => {});
  }

  #sourceEnded(end: WindowEnd): void {
    this.#scope.end();
    if (end.by === 'failure') {
      const error = asRecurveError(end.error);
      this.#end(outcomeOf(error), error);
      this.#onSourceEnded(error);
    } else {
      if (this.#window.drained) this.#end('complete');
      this.#onSourceEnded(undefined);
    }
  }

  #end(outcome: Exclude<Outcome, 'running'>, error?: RecurveError): void {
    if (this.#log.outcome !== 'running') return;
    this.#log.end(outcome, error);
    if (this.#observation === undefined) return;
    if (error === undefined || outcome === 'returned') {
      this.#observation.end(this.source.rowsAffected, this.report());
    } else {
      this.#observation.fail(error, this.report());
    }
  }
}

function superseded(): RecurveError {
  return new RecurveError('INVALID_STATE', 'another call ran on this connection before the result was read', {
    hint: 'read or close a result before the next call, or use a second connection',
  });
}

function outcomeOf(error: RecurveError): Exclude<Outcome, 'running'> {
  if (error.status === 'CANCELLED') return 'cancelled';
  return error.status === 'TIMEOUT' ? 'timeout' : 'failed';
}

/** The driver's batches; what it throws when it was told to stop is the reason why, and everything else a RecurveError. */
function withOneError(batches: DriverResult['batches'], scope: CallScope): DriverResult['batches'] {
  return {
    next: async () => {
      try {
        return await batches.next();
      } catch (error) {
        throw scope.error ?? asRecurveError(error);
      }
    },
    return: async () => {
      await batches.return?.();
      return { done: true, value: undefined };
    },
  };
}
