/** A node:test reporter that writes one JSON object, {@link Counts}, when the run is complete; `scripts/test.ts` adds them up. */
import type { TestEvent } from 'node:test/reporters';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** The foreign implementations that tests reported with `t.diagnostic('peer: NAME VERSION')`. */
  peers: string[];
}

const PEER = /^peer: /;

export default async function* count(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0, peers: [] };
  for await (const event of events) {
    if (event.type === 'test:diagnostic') {
      if (PEER.test(event.data.message)) counts.peers.push(event.data.message.replace(PEER, ''));
      continue;
    }
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    if (event.data.details.type === 'suite') {
      // A failed hook fails the suite alone, which Node 22 forgets in its own count and exit code.
      if (event.type === 'test:fail' && failureType(event.data.details.error) !== 'subtestsFailed') counts.failed++;
      continue;
    }
    if (event.data.skip !== undefined || event.data.todo !== undefined) counts.skipped++;
    else if (event.type === 'test:pass') counts.passed++;
    else counts.failed++;
  }
  yield JSON.stringify(counts);
}

/** What node:test says of a failure; missing in Node's types. */
function failureType(error: Error): unknown {
  return 'failureType' in error ? error.failureType : undefined;
}
