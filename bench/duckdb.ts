import { packageVersion } from './harness/environment.ts';
import type { Arm, Input, Suite } from './harness/suite.ts';

const READERS = ['recurve', 'duckdb-columns', 'duckdb-chunks'];
const FLOORS = ['duckdb-chunks'];

/**
 * Results of the embedded DuckDB. One process a cell and arm: the bindings' values of one arm would be the garbage of the
 * next, each arm has a database of its own, and DuckDB keeps memory that it once had.
 */
export const suite: Suite = {
  name: 'duckdb',
  question: 'How fast does a result of 1M rows, streamed from an embedded DuckDB, arrive in JavaScript?',
  module: import.meta.url,
  rounds: 6,
  processSets: 2,
  // Native calls of the bindings run on libuv's threads: as many in every arm.
  env: { UV_THREADPOOL_SIZE: '16' },
  cells: [
    { name: 'numeric', about: 'int32, int64, float64, int16', arms: READERS, floors: FLOORS },
    {
      name: 'mixed',
      about: 'int32, float64, a string of 1 to 12 bytes, a string of 24',
      arms: READERS,
      floors: FLOORS,
    },
    { name: 'strings', about: 'strings of 0 to 12 bytes, of 20 to 60, of 3 with NULLs', arms: READERS, floors: FLOORS },
    {
      name: 'edge-strings',
      about: 'two strings of 11 to 14 bytes by turns, around the inlined 12',
      arms: READERS,
      floors: FLOORS,
    },
    { name: 'flights', about: '3M flights out of a Parquet file', arms: READERS, floors: FLOORS, rounds: 4 },
    {
      name: 'flights-to-file',
      about: 'the same into a file: Arrow by recurve, Parquet and CSV by COPY ... TO',
      arms: ['recurve', 'copy-parquet', 'copy-csv'],
    },
  ],

  async versions() {
    const { version } = await import('@duckdb/node-api');
    return { '@duckdb/node-api': await packageVersion('@duckdb/node-api'), duckdb: version() };
  },

  // Tables are made by each arm in its own database, and the flights are in a package.
  async prepare() {},

  async openArm(cell: string, arm: string, input: Input): Promise<Arm> {
    if (arm === 'recurve') return (await import('./recurve/duckdb.ts')).openArm(cell, input);
    return (await import('./peers/duckdb-node-api.ts')).openArm(cell, arm, input);
  },
};
