import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collect, openSession } from './session.ts';

const limit = { maxRows: 50_000, maxBytes: 1 << 26, firstRows: 2048 };
const endless = "select i, 'a text of some length ' || i s from range(100000000) t(i)";
/** Streams a million rows, then looks for more among billions. */
const searching = 'select i from range(30000000000) t(i) where i < 1000000 or hash(i) = 42';
/** Works for seconds on a single vector after the first rows: no interrupt reaches it. */
const stubborn = `select i, len(regexp_replace(repeat('ab', case when i < 300000 then 1 else 60000 end), '(a|b)*c', 'x')) c
  from range(310000) t(i)`;

describe('a stream that is closed early', async () => {
  const session = await openSession();

  it('frees the connection within 100 ms, again and again', async () => {
    for (let i = 0; i < 20; i++) {
      let ended = 0;
      const { batches } = await session.stream(endless, { limit, onEnd: () => ended++ });
      for (let k = 0; k < i % 3; k++) await batches.next();
      const start = performance.now();
      assert.deepEqual(await batches.return(), { done: true, value: undefined });
      assert.ok(performance.now() - start < 100, `${performance.now() - start} ms`);
      assert.deepEqual(await batches.next(), { done: true, value: undefined });
      await batches.return();
      assert.equal(ended, 1);
      assert.equal((await session.read('select 1')).batches.length, 1);
    }
  });

  it('while a batch is awaited ends that wait', async () => {
    const { batches } = await session.stream(endless, {
      limit: { ...limit, firstRows: 1_000_000, maxRows: 1_000_000 },
    });
    const waiting = batches.next();
    await batches.return();
    assert.deepEqual(await waiting, { done: true, value: undefined });
    assert.equal((await session.read('select 1')).batches.length, 1);
  });

  it('inside of a transaction leaves the transaction as it is', async () => {
    await session.read('begin');
    await session.read('create table kept as select 1 a');
    let cut = 0;
    const { batches } = await session.stream(endless, { limit, inTransaction: true, onCut: () => cut++ });
    await batches.next();
    await batches.return();
    assert.equal(cut, 1);
    const { batches: rows } = await session.read('select a from kept');
    assert.equal(rows[0]?.column(0).at(0), 1);
    await session.read('rollback');
  });

  it('by its signal throws the reason, in 100 ms, whether a batch is awaited or not', async () => {
    for (const waiting of [true, false]) {
      const controller = new AbortController();
      const { batches } = await session.stream(endless, { limit, signal: controller.signal });
      await batches.next();
      const next = waiting ? collect(batches) : undefined;
      await new Promise((resolve) => setTimeout(resolve, 20));
      const reason = new Error('enough');
      const start = performance.now();
      controller.abort(reason);
      await assert.rejects(next ?? batches.next(), (error) => error === reason);
      assert.ok(performance.now() - start < 100, `${performance.now() - start} ms`);
      assert.equal((await session.read('select 1')).batches.length, 1);
    }
  });

  it('before its first batch throws the reason of its signal', async () => {
    const signal = AbortSignal.abort(new Error('never'));
    const { batches } = await session.stream(endless, { limit, signal });
    await assert.rejects(collect(batches), { message: 'never' });
    assert.equal((await session.read('select 1')).batches.length, 1);
  });

  it('while the source looks for its next row is interrupted', async () => {
    const { batches } = await session.stream(searching, { limit });
    let rows = 0;
    while (rows < 500_000) rows += (await batches.next()).value?.numRows ?? 0;
    const waiting = collect(batches);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const start = performance.now();
    await batches.return();
    assert.ok(performance.now() - start < 100, `${performance.now() - start} ms`);
    await waiting;
    assert.equal((await session.read('select 1')).batches.length, 1);
  });

  it('by its signal rejects in 100 ms even when the source cannot be interrupted, and tells when it is free', async () => {
    const controller = new AbortController();
    const { promise, free } = signalled();
    const { batches } = await session.stream(stubborn, { limit, signal: controller.signal, onEnd: free });
    const waiting = collect(batches);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const start = performance.now();
    controller.abort(new Error('enough'));
    await assert.rejects(waiting, { message: 'enough' });
    assert.ok(performance.now() - start < 100, `${performance.now() - start} ms`);
    await promise;
    assert.equal((await session.read('select 1')).batches.length, 1);
  });

  it('at its end needs no closing', async () => {
    let ended = 0;
    const { batches } = await session.stream('select 1', { onEnd: () => ended++ });
    await collect(batches);
    assert.equal(ended, 1);
    assert.deepEqual(await batches.return(), { done: true, value: undefined });
    assert.equal(ended, 1);
  });
});

function signalled(): { promise: Promise<void>; free: () => void } {
  let free: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => {
    free = resolve;
  });
  return { promise, free };
}
