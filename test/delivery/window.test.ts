import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { RecordBatch } from 'recurve/arrow';
import { BatchWindow, type WindowEnd } from 'recurve/delivery';
import { numberBatch } from './batch.ts';

/** 1 KiB, the least that a held batch counts. */
const ROWS = 256;
const BYTES = 1024;

/** A source of `count` batches that notes how it is used. */
class Source implements AsyncIterator<RecordBatch, undefined> {
  pulled = 0;
  returned = 0;
  pending = 0;
  readonly #count: number;
  readonly #before: (index: number) => Promise<void>;

  constructor(count: number, before: (index: number) => Promise<void> = async () => {}) {
    this.#count = count;
    this.#before = before;
  }

  async next(): Promise<IteratorResult<RecordBatch, undefined>> {
    assert.equal(this.pending, 0, 'one pull at a time');
    this.pending += 1;
    const index = this.pulled++;
    try {
      await this.#before(index);
    } finally {
      this.pending -= 1;
    }
    if (index >= this.#count) return { done: true, value: undefined };
    return { done: false, value: numberBatch(index * ROWS, ROWS) };
  }

  async return(): Promise<IteratorResult<RecordBatch, undefined>> {
    this.returned += 1;
    return { done: true, value: undefined };
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}

function firstOf(batch: RecordBatch | undefined): unknown {
  return batch?.column(0).at(0);
}

describe('a window', () => {
  test('delivers the batches in order and then its end, as often as it is asked', async () => {
    const window = new BatchWindow(new Source(3), { windowBytes: 10 * BYTES });
    assert.deepEqual(
      [firstOf(await window.next()), firstOf(await window.next()), firstOf(await window.next())],
      [0, ROWS, 2 * ROWS],
    );
    assert.equal(await window.next(), undefined);
    assert.equal(await window.next(), undefined);
    assert.equal(window.drained, true);
  });

  test('runs ahead of a reader that does not read, by its bytes and not by more', async () => {
    const source = new Source(100);
    const window = new BatchWindow(source, { windowBytes: 4 * BYTES });
    await settle();
    assert.equal(source.pulled, 4);
    assert.equal(window.heldBytes, 4 * BYTES);
    await window.next();
    await settle();
    assert.equal(source.pulled, 5);
  });

  test('holds one batch over its bytes at most', async () => {
    const source = new Source(100);
    const window = new BatchWindow(source, { windowBytes: 4 * BYTES + 1 });
    await settle();
    assert.equal(window.heldBytes, 5 * BYTES);
    await settle();
    assert.equal(source.pulled, 5);
  });

  test('of no bytes asks the source only when the reader waits', async () => {
    const source = new Source(2);
    const window = new BatchWindow(source, { windowBytes: 0 });
    await settle();
    assert.equal(source.pulled, 0);
    assert.equal(firstOf(await window.next()), 0);
    await settle();
    assert.equal(source.pulled, 1);
    assert.equal(firstOf(await window.next()), ROWS);
    assert.equal(await window.next(), undefined);
  });

  test('does not pile up batches that have no bytes', async () => {
    let pulled = 0;
    const empty = {
      next: async () => {
        pulled += 1;
        return { done: false as const, value: numberBatch(0, 0) };
      },
    };
    const window = new BatchWindow(empty, { windowBytes: 8 * BYTES });
    await settle();
    assert.equal(pulled, 8);
    await window.stop(new Error('enough'));
  });

  test('throws what the source threw after the batches before it, then again at every read', async () => {
    const failure = new Error('at batch 2');
    const source = new Source(9, async (index) => {
      if (index === 2) throw failure;
    });
    const window = new BatchWindow(source, { windowBytes: 100 * BYTES });
    await settle();
    assert.equal(window.ended, true);
    assert.equal(firstOf(await window.next()), 0);
    assert.equal(firstOf(await window.next()), ROWS);
    await assert.rejects(window.next(), failure);
    await assert.rejects(window.next(), failure);
    assert.equal(window.drained, false);
    assert.equal(source.returned, 0, 'a source that threw has ended by itself');
  });

  test('that is stopped drops what it holds, rejects who waits and stops the source once', async () => {
    const source = new Source(9, (index) => (index === 0 ? Promise.resolve() : sleep(20)));
    const window = new BatchWindow(source, { windowBytes: 100 * BYTES });
    await window.next();
    const waiting = window.next();
    const stopped = new Error('stopped');
    const rejected = assert.rejects(waiting, stopped);
    await window.stop(stopped);
    await rejected;
    await window.stop(new Error('again'));
    await assert.rejects(window.next(), stopped);
    assert.equal(source.returned, 1);
    await sleep(30);
    assert.equal(window.heldBytes, 0, 'the batch of the pull under way is dropped');
    assert.equal(source.pulled, 2);
  });

  test('that is stopped when the source has sent everything throws too, unless it was read to its end', async () => {
    const source = new Source(2);
    const window = new BatchWindow(source, { windowBytes: 100 * BYTES });
    await settle();
    const stopped = new Error('stopped');
    await window.stop(stopped);
    await assert.rejects(window.next(), stopped);
    assert.equal(source.returned, 0);

    const whole = new BatchWindow(new Source(1), { windowBytes: 100 * BYTES });
    await whole.next();
    assert.equal(await whole.next(), undefined);
    await whole.stop(stopped);
    assert.equal(await whole.next(), undefined);
  });

  test('says when stopping the source failed, and to nobody who did not ask', async () => {
    const failure = new Error('cannot stop');
    const source = {
      next: () => new Promise<never>(() => {}),
      return: () => Promise.reject(failure),
    };
    const window = new BatchWindow(source);
    window.stop(new Error('one')).catch(() => {});
    await assert.rejects(window.stop(new Error('two')), failure);
    void new BatchWindow(source).stop(new Error('unheard'));
    await settle();
  });

  test('holds its promises for any course of source, reader, failure and stop', async () => {
    const delay = fc.nat(3);
    const course = fc.record({
      windowBytes: fc.constantFrom(0, 1, BYTES, 3 * BYTES, 1000 * BYTES),
      count: fc.nat(12),
      sourceDelays: fc.array(delay, { minLength: 13, maxLength: 13 }),
      readerDelays: fc.array(delay, { minLength: 13, maxLength: 13 }),
      failAt: fc.option(fc.nat(13), { nil: undefined }),
      stopAt: fc.option(fc.nat(13), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(course, async ({ windowBytes, count, sourceDelays, readerDelays, failAt, stopAt }) => {
        const failure = new Error('source');
        const stopped = new Error('stop');
        const wait = async (turns: number | undefined): Promise<void> => {
          for (let i = 0; i < (turns ?? 0); i++) await turn();
        };
        const source = new Source(count, async (index) => {
          await wait(sourceDelays[index]);
          if (index === failAt) throw failure;
        });
        const seen = { arrived: 0, taken: 0, mostHeld: 0 };
        const ends: WindowEnd[] = [];
        const window = new BatchWindow(source, {
          windowBytes,
          observer: {
            arrived: () => {
              seen.arrived += 1;
            },
            taken: () => {
              seen.taken += 1;
            },
            ended: (end) => ends.push(end),
          },
        });
        const read: unknown[] = [];
        let last: unknown = 'end';
        try {
          for (let i = 0; ; i++) {
            await wait(readerDelays[i]);
            seen.mostHeld = Math.max(seen.mostHeld, window.heldBytes);
            if (i === stopAt) await window.stop(stopped);
            const batch = await window.next();
            if (batch === undefined) break;
            read.push(firstOf(batch));
          }
        } catch (error) {
          last = error;
        }
        const sent = Math.min(count, failAt ?? count);
        const end = failAt !== undefined && failAt <= count ? failure : 'end';
        // What was read is the beginning of what was sent, and whole when the end says so.
        assert.deepEqual(
          read,
          Array.from({ length: read.length }, (_, i) => i * ROWS),
        );
        if (last === stopped) assert.ok(read.length <= sent && read.length === stopAt);
        else assert.deepEqual([last, read.length], [end, sent]);
        assert.ok(seen.mostHeld < windowBytes + BYTES, `${seen.mostHeld} held in a window of ${windowBytes}`);
        assert.equal(seen.taken, read.length);
        assert.equal(ends.length, 1);
        assert.equal(source.returned, ends[0]?.by === 'stop' ? 1 : 0);
        const pulled = source.pulled;
        await wait(5);
        assert.equal(source.pulled, pulled, 'nothing is asked after the end');
      }),
      { numRuns: 300 },
    );
  });
});
