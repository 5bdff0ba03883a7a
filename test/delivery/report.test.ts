import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { type DeliveryReport, formatReport, newCost } from 'recurve/delivery';
import { DeliveryLog } from '../../src/delivery/report.ts';

const plan = { candidates: [{ name: 'chunks' }], chosen: 'chunks', reason: 'the only path' };

function newLog() {
  const source = { plan, cost: newCost() };
  return { source, log: new DeliveryLog({ source, connectMs: 1.25, startedMs: performance.now() }) };
}

const report: DeliveryReport = {
  path: 'csv',
  plan: {
    candidates: [{ name: 'pages' }, { name: 'csv' }, { name: 'unload', ruledOut: 'the statement is no SELECT' }],
    chosen: 'csv',
    reason: 'faster than pages from 20,000 rows',
    estimate: { rows: 1_000_000, source: 'the last run' },
  },
  outcome: 'complete',
  rows: 1_234_567,
  batches: 20,
  bytes: { wire: 999, arrow: 126_353_408 },
  requests: 1001,
  timings: {
    connectMs: 1.2,
    submitMs: 0,
    engineMs: 0,
    firstByteMs: 0,
    firstBatchMs: 12.34,
    decodeMs: 0,
    totalMs: 812.4,
  },
  fallbacks: ['pages took over at row 10: the object was gone'],
};

describe('a delivery report', () => {
  test('runs until its end is noted, and then stands', () => {
    const { log, source } = newLog();
    assert.equal(log.report().outcome, 'running');
    log.arrive();
    log.take(10, 40);
    log.take(5, 20);
    source.cost.wireBytes = 33;
    source.cost.requests = 2;
    source.cost.decodeMs = 0.123456;
    log.end('complete');
    log.end('failed', { status: 'IO', message: 'too late to matter' });
    const { timings, ...rest } = log.report();
    assert.deepEqual(rest, {
      path: 'chunks',
      plan,
      outcome: 'complete',
      rows: 15,
      batches: 2,
      bytes: { wire: 33, arrow: 60 },
      requests: 2,
      fallbacks: [],
    });
    assert.equal(timings.connectMs, 1.25);
    assert.equal(timings.decodeMs, 0.123);
    assert.ok(timings.firstBatchMs > 0 && timings.firstBatchMs <= timings.totalMs);
    assert.equal(log.report().timings.totalMs, timings.totalMs);
  });

  test('names the error of an early end', () => {
    const { log } = newLog();
    log.take(10, 40);
    log.end('timeout', { status: 'TIMEOUT', message: 'not done within the limit of 5 ms' });
    const { outcome, error, rows } = log.report();
    assert.deepEqual([outcome, rows], ['timeout', 10]);
    assert.deepEqual(error, { status: 'TIMEOUT', message: 'not done within the limit of 5 ms' });
  });

  test('survives JSON whole', () => {
    const { log } = newLog();
    log.end('complete');
    assert.deepEqual(JSON.parse(JSON.stringify(log.report())), log.report());
  });

  test('takes the plan as it is at the end, when the driver changed it on the way', () => {
    const source = { plan, cost: newCost() };
    const log = new DeliveryLog({ source, connectMs: 0, startedMs: 0 });
    source.plan = { ...plan, chosen: 'pages' };
    assert.equal(log.report().path, 'pages');
  });

  test('is a few aligned lines for people', () => {
    assert.equal(
      formatReport(report),
      `
path      csv: faster than pages from 20,000 rows
          not unload: the statement is no SELECT
estimate  1,000,000 rows (the last run)
outcome   complete
rows      1,234,567 in 20 batches
bytes     120.5 MiB Arrow, 999 B on the wire
requests  1,001
time      812.4 ms (connect 1.2, first batch 12.3)
fallback  pages took over at row 10: the object was gone`.slice(1),
    );
  });

  test('tells people why it ended early', () => {
    const failed: DeliveryReport = {
      ...report,
      outcome: 'failed',
      error: { status: 'IO', message: 'connection lost' },
    };
    assert.match(formatReport(failed), /^outcome {3}failed: connection lost$/m);
  });
});
