import { type Channel, channel } from 'node:diagnostics_channel';
import type { QueryObserver } from '../adbc/observer.ts';

/** Names of the channels of `node:diagnostics_channel`, with what a message is. */
const channelNames = {
  /** {@link QueryStart} */
  start: 'recurve:query:start',
  /** {@link QueryEnd} */
  end: 'recurve:query:end',
  /** {@link QueryFailure} */
  failure: 'recurve:query:failure',
} as const;

let observer: QueryObserver | undefined;

/** The observer that publishes every statement; it is not active while none of the channels has a subscriber. */
export function diagnosticsObserver(): QueryObserver {
  observer ??= new DiagnosticsObserver();
  return observer;
}

class DiagnosticsObserver implements QueryObserver {
  readonly #start: Channel = channel(channelNames.start);
  readonly #end: Channel = channel(channelNames.end);
  readonly #failure: Channel = channel(channelNames.failure);

  get active(): boolean {
    return this.#start.hasSubscribers || this.#end.hasSubscribers || this.#failure.hasSubscribers;
  }

  started(event: Parameters<QueryObserver['started']>[0]): void {
    this.#start.publish(event);
  }

  ended(event: Parameters<QueryObserver['ended']>[0]): void {
    this.#end.publish(event);
  }

  failed(event: Parameters<QueryObserver['failed']>[0]): void {
    this.#failure.publish(event);
  }
}
