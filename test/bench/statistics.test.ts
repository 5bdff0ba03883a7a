import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { deriveSeed, Random } from '../../bench/harness/random.ts';
import { bootstrapMedian, median, quantile, spread } from '../../bench/harness/statistics.ts';
import type { Measurement } from '../../bench/harness/suite.ts';
import { summarize } from '../../bench/harness/summary.ts';

function row(arm: string, round: number, ms: number, digest = '1:aa'): Measurement {
  return { suite: 's', cell: 'c', arm, round, process: 1, iterations: 1, ms, digest };
}

describe('bench statistics', () => {
  test('the median of an odd and an even number of values, in any order', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 3, 10]), 3.5);
    assert.equal(median([7]), 7);
    assert.throws(() => median([]), RangeError);
  });

  test('quantiles interpolate between neighbours as NumPy does', () => {
    // numpy.quantile([15, 20, 35, 40, 50], q): position (5 - 1) * q.
    const values = [50, 15, 40, 20, 35];
    assert.equal(quantile(values, 0), 15);
    assert.equal(quantile(values, 0.25), 20);
    assert.equal(quantile(values, 0.4), 29);
    assert.equal(quantile(values, 0.9), 46);
    assert.equal(quantile(values, 1), 50);
  });

  test('spread: n, median, p90, min and the median absolute deviation', () => {
    // Deviations from 3, sorted: 0, 1, 1, 1, 1, 2, 2, 2, 3, 6, 17. The tenth of eleven values is the 90th percentile.
    assert.deepEqual(spread([20, 1, 1, 2, 2, 2, 3, 4, 5, 6, 9]), { n: 11, median: 3, p90: 9, min: 1, mad: 2 });
  });

  test('numbers sort as numbers', () => {
    assert.equal(median([10, 9, 100]), 10);
  });

  test('the interval of a constant is that constant', () => {
    assert.deepEqual(bootstrapMedian(new Array(9).fill(0.5), new Random(1)), { low: 0.5, high: 0.5 });
  });

  test('the interval holds the median, stays inside the values and is the same for the same seed', () => {
    const values = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    const interval = bootstrapMedian(values, new Random(42));
    assert.deepEqual(interval, bootstrapMedian(values, new Random(42)));
    assert.ok(interval.low >= 1 && interval.low < 5, `${interval.low}`);
    assert.ok(interval.high > 5 && interval.high <= 9, `${interval.high}`);
    // By the binomial distribution, the median of nine draws is 1 with a chance under 0.0005, and 3 or less with 0.14.
    assert.ok(interval.low >= 2 && interval.low <= 3, `${interval.low}`);
    assert.ok(interval.high >= 7 && interval.high <= 8, `${interval.high}`);
  });

  test('shuffles keep every value, give the same order for the same seed, and reach every order', () => {
    assert.deepEqual(new Random(7).shuffle([1, 2, 3, 4]), new Random(7).shuffle([1, 2, 3, 4]));
    const random = new Random(7);
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = random.shuffle(['a', 'b', 'c']).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    assert.deepEqual([...counts.keys()].sort(), ['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
    for (const [order, count] of counts) assert.ok(count > 850 && count < 1150, `${order}: ${count} of 6000`);
  });

  test('seeds derived from a name differ by name and by seed', () => {
    assert.equal(new Set([deriveSeed(1, 'a'), deriveSeed(1, 'b'), deriveSeed(2, 'a'), deriveSeed(2, 'b')]).size, 4);
  });

  test('ratios pair the measurements of a round, however they are ordered', () => {
    // Each round's ratio is 2, while the medians (3 and 2) would give 1.5 if rounds were not paired by number.
    const rows = [
      row('peer', 3, 50),
      row('recurve', 1, 2),
      row('peer', 1, 1),
      row('recurve', 2, 4),
      row('recurve', 3, 100),
      row('peer', 2, 2),
    ];
    const [cell] = summarize(rows, 1);
    assert.ok(cell);
    assert.deepEqual([...cell.ratios.keys()], ['recurve/peer']);
    assert.deepEqual(cell.ratios.get('recurve/peer'), { n: 3, median: 2, p90: 2, min: 2, mad: 0, low: 2, high: 2 });
    assert.deepEqual(cell.arms.get('recurve'), {
      n: 3,
      median: 4,
      p90: 80.8,
      min: 2,
      mad: 2,
      unit: 'ms',
      floor: false,
    });
    assert.equal(cell.digestsEqual, true);
  });

  test('ratios are against recurve also where another arm comes first by name', () => {
    const rows = [row('apache', 1, 4), row('recurve', 1, 1), row('zebra', 1, 2)];
    assert.deepEqual([...(summarize(rows, 1)[0]?.ratios.keys() ?? [])], ['recurve/apache', 'recurve/zebra']);
  });

  test('a floor has no digest and keeps its ratio', () => {
    const [cell] = summarize([row('recurve', 1, 3), row('floor', 1, 2, '')], 1);
    assert.equal(cell?.digestsEqual, true);
    assert.equal(cell?.arms.get('floor')?.floor, true);
    assert.equal(cell?.ratios.get('recurve/floor')?.median, 1.5);
  });

  test('different digests between arms, or from process to process of one arm, leave no ratio', () => {
    for (const rows of [
      [row('recurve', 1, 3, '1:aa'), row('peer', 1, 2, '1:bb')],
      [row('recurve', 1, 3), row('peer', 1, 2), row('recurve', 2, 3, '1:bb'), row('peer', 2, 2)],
    ]) {
      const [cell] = summarize(rows, 1);
      assert.equal(cell?.digestsEqual, false);
      assert.equal(cell?.ratios.size, 0);
    }
  });
});
