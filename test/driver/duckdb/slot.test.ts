import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { runInSlot } from '../../../src/driver/duckdb/slot.ts';

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

function gate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** As the module counts them: libuv's threads but one. */
const slotCount = Math.max(1, Number(process.env.UV_THREADPOOL_SIZE ?? 4) - 1);

describe('slots for native calls', () => {
  test('let so many calls run at once, the others in the order of asking', async () => {
    const gates = Array.from({ length: slotCount + 3 }, gate);
    const started: number[] = [];
    const calls = gates.map(({ opened }, i) =>
      runInSlot(async () => {
        started.push(i);
        await opened;
        return i;
      }),
    );
    await turn();
    assert.deepEqual(started, [...Array(slotCount).keys()]);
    gates[0]?.open();
    await turn();
    assert.deepEqual(started, [...Array(slotCount + 1).keys()]);
    for (const { open } of gates) open();
    assert.deepEqual(await Promise.all(calls), [...gates.keys()]);
    assert.deepEqual(started, [...gates.keys()]);
  });

  test('are given back by a call that fails, in whatever way', async () => {
    for (let i = 0; i < slotCount * 3; i++) {
      await assert.rejects(
        runInSlot(() => Promise.reject(new Error('later'))),
        /later/,
      );
      const now = (): Promise<void> => {
        throw new Error('at once');
      };
      await assert.rejects(runInSlot(now), /at once/);
    }
    assert.equal(await runInSlot(async () => 'free'), 'free');
  });

  test('are not taken by a call that was aborted while it waited', async () => {
    const { opened, open } = gate();
    const holders = Array.from({ length: slotCount }, () => runInSlot(() => opened));
    const controller = new AbortController();
    let made = false;
    const waiting = runInSlot(async () => {
      made = true;
    }, controller.signal);
    const behind = runInSlot(async () => 'behind');
    await turn();
    controller.abort(new Error('no more'));
    await assert.rejects(waiting, /no more/);
    open();
    await Promise.all(holders);
    assert.equal(await behind, 'behind');
    assert.equal(made, false);
    await assert.rejects(
      runInSlot(async () => 1, controller.signal),
      /no more/,
    );
  });
});
