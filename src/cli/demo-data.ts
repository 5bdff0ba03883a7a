import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Flights to query: columns date (timestamp), delay (minutes, int64), distance (miles, int64), origin, destination. */
export interface FlightData {
  /** What to tell people. */
  readonly description: string;
  /** The table expression that gives the flights. */
  readonly relation: string;
  /** A statement to run first, or none. */
  readonly setup: string | undefined;
}

/** The flights of the npm package vega-datasets where it is installed, else {@link madeUpFlights}. */
export function findFlights(): FlightData {
  const file = findDataset();
  if (file === undefined) return madeUpFlights;
  return {
    description: 'flights-3m.parquet of vega-datasets: domestic flights in the United States, early 2001',
    relation: `'${file.replaceAll("'", "''")}'`,
    setup: undefined,
  };
}

function findDataset(): string | undefined {
  try {
    const file = fileURLToPath(new URL('../data/flights-3m.parquet', import.meta.resolve('vega-datasets')));
    return existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

/** Three million rows that are the same on every run: most leave by day, most are on time, some are very late. */
export const madeUpFlights: FlightData = {
  description: 'made up: 3,000,000 rows like flights (the real ones come with a checkout of the source)',
  relation: 'flights',
  setup: `
  create temporary table flights as
  with airport as (
    select ['ATL', 'BOS', 'CLT', 'DEN', 'DFW', 'DTW', 'EWR', 'IAH', 'JFK', 'LAS', 'LAX', 'MCO', 'MIA', 'MSP', 'ORD',
      'PHL', 'PHX', 'SEA', 'SFO', 'SLC'] as code
  ), dice as (
    select hash(i) as a, hash(i + 3000000) as b, hash(i + 6000000) as c, hash(i + 9000000) as d from range(3000000) t(i)
  )
  select
    timestamp '2001-01-01' + to_days((a % 180)::integer) + to_minutes((300 + b % 570 + c % 570)::bigint) as date,
    (-25 * ln((d % 100000 + 1) / 100001) - 15)::bigint as delay,
    (100 + (a >> 20) % 2400)::bigint as distance,
    code[(1 + (b >> 20) % 20)::integer] as origin,
    code[(1 + (c >> 20) % 20)::integer] as destination
  from dice, airport`,
};
