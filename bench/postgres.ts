import { packageVersion } from './harness/environment.ts';
import type { Arm, Cell, Input, Suite } from './harness/suite.ts';
import { closeSite, openSite, serverVersion } from './input/postgres-server.ts';
import { findOutsideArms, type OutsideArms } from './peers/postgres-outside.ts';

const FLOORS = ['floor', 'floor-gather', 'floor-ingest'];
const JAVASCRIPT = ['pg', 'postgres.js'];
/** For results of any size. */
const STREAMS = [
  'recurve',
  'recurve-copy',
  'floor',
  'floor-gather',
  ...JAVASCRIPT,
  'adbc-c',
  'psycopg',
  'connectorx',
  'jdbc',
];
/** For answers of which the server makes most of the time. */
const ANSWERS = ['recurve', 'floor', 'pg', 'adbc-c', 'jdbc'];

const cells: readonly Cell[] = [
  {
    name: 'fact',
    about: '1M rows of nine columns: int8, timestamptz, 2 int4, float8, numeric(12,2), text, bool, date',
    arms: STREAMS,
    cpu: true,
  },
  { name: 'nums', about: '1M rows of 2 int4, int8, 2 float8', arms: STREAMS, cpu: true },
  {
    name: 'bars',
    about: '2M rows of timestamp, 2 int4, 4 float4',
    // Objects of JavaScript and Python: as in fact.
    arms: STREAMS.filter((arm) => ![...JAVASCRIPT, 'psycopg'].includes(arm)),
    cpu: true,
  },
  { name: 'small', about: '2,600 rows as in fact', arms: STREAMS.filter((arm) => arm !== 'floor-gather'), cpu: true },
  { name: 'one', about: 'select 1', arms: ['recurve', 'floor', ...JAVASCRIPT, 'adbc-c', 'psycopg', 'jdbc'], cpu: true },
  { name: 'agg', about: 'a sum of 5M rows in 1,000 groups', arms: ANSWERS },
  { name: 'scan', about: '1M rows of 3 int4, numeric(12,2)', arms: ANSWERS },
  { name: 'grouped', about: 'a sum of 1M rows by product: 1,000 groups', arms: ANSWERS },
  { name: 'two-dimensions', about: 'the same by product and store: 100,000 groups', arms: ANSWERS },
  { name: 'time-filter', about: 'the same of one month of 48', arms: ANSWERS },
  { name: 'two-measures', about: 'sums of an int4 and a numeric by store: 100 groups', arms: ANSWERS },
  { name: 'join', about: 'a sum by store and the category of a joined table: 2,000 groups', arms: ANSWERS },
  { name: 'aggregate-table', about: '2,600 rows of a table of such sums', arms: ANSWERS },
  {
    name: 'connect',
    about: 'a new connection as far as the first batch of select 1, among 5,000 tables of 30 columns',
    arms: ['recurve', 'floor', ...JAVASCRIPT, 'adbc-c', 'jdbc'],
  },
  {
    name: 'ingest',
    about: 'the rows of fact into an empty table, by COPY',
    arms: ['recurve', 'copy-file', 'floor-ingest'],
    cpu: true,
  },
];

let outside: OutsideArms | undefined;

function outsideArms(): OutsideArms {
  outside ??= findOutsideArms();
  return outside;
}

/**
 * Results of a PostgreSQL server over loopback TCP, the server's own work included. One process a cell and arm, which
 * keeps its connection.
 */
export const suite: Suite = {
  name: 'postgres',
  question: 'How fast do results of a PostgreSQL server arrive, and what do they cost the client?',
  module: import.meta.url,
  rounds: 40,
  processSets: 2,
  // A Date without a zone is one of the process's own zone; the digest takes it for UTC.
  env: { TZ: 'UTC' },
  get cells() {
    const { absent } = outsideArms();
    return cells.map((cell) => ({
      ...cell,
      arms: cell.arms.filter((arm) => absent[arm] === undefined),
      floors: FLOORS.filter((arm) => cell.arms.includes(arm)),
    }));
  },
  get absent() {
    return outsideArms().absent;
  },

  async versions() {
    return {
      postgresql: await serverVersion(),
      pg: await packageVersion('pg'),
      'postgres.js': await packageVersion('postgres'),
      ...outsideArms().versions,
    };
  },

  prepare: openSite,
  cleanUp: closeSite,

  async openArm(cell: string, arm: string, input: Input): Promise<Arm> {
    if (arm === 'recurve' || arm === 'recurve-copy')
      return (await import('./recurve/postgres.ts')).openArm(cell, arm, input);
    if (JAVASCRIPT.includes(arm)) return (await import('./peers/postgres-client.ts')).openArm(cell, arm, input);
    if (arm === 'copy-file' || FLOORS.includes(arm))
      return (await import('./peers/postgres-floor.ts')).openArm(cell, arm, input);
    return (await import('./peers/postgres-outside.ts')).openArm(cell, arm, input);
  },
};
