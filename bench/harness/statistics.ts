import type { Random } from './random.ts';

/** What is told of a set of measurements, in their unit. */
export interface Spread {
  readonly n: number;
  readonly median: number;
  readonly p90: number;
  readonly min: number;
  /** Median absolute deviation from the median, not scaled to a standard deviation. */
  readonly mad: number;
}

/** Ends of an interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The value below which the share `q` of the values lies, between neighbours by linear interpolation (type 7 of Hyndman
 * and Fan, the default of R and NumPy). Throws RangeError for no values.
 */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('no quantile of no values');
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * q;
  const low = Math.floor(position);
  const below = sorted[low] ?? Number.NaN;
  const above = sorted[Math.min(low + 1, sorted.length - 1)] ?? Number.NaN;
  return below + (above - below) * (position - low);
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function spread(values: readonly number[]): Spread {
  const middle = median(values);
  return {
    n: values.length,
    median: middle,
    p90: quantile(values, 0.9),
    min: Math.min(...values),
    mad: median(values.map((value) => Math.abs(value - middle))),
  };
}

/** Resamples of an interval: enough that another seed moves its ends by less than the spread of the measurements. */
const RESAMPLES = 2000;

/** The 95 % percentile interval of the median by the bootstrap: values drawn with replacement, as many as there are. */
export function bootstrapMedian(values: readonly number[], random: Random): Interval {
  const medians: number[] = [];
  for (let i = 0; i < RESAMPLES; i++) {
    medians.push(median(values.map(() => values[random.below(values.length)] ?? Number.NaN)));
  }
  return { low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}
