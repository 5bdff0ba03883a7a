import { packageVersion } from './harness/environment.ts';
import type { Arm, Input, Suite } from './harness/suite.ts';

const ARMS = ['recurve', 'duckdb-appender', 'duckdb-ctas'];

/** Rows into a table of the embedded DuckDB. One process a cell and arm, each with a database of its own. */
export const suite: Suite = {
  name: 'ingest',
  question: 'How fast do 1M rows become a table of an embedded DuckDB?',
  module: import.meta.url,
  rounds: 6,
  processSets: 2,
  env: { UV_THREADPOOL_SIZE: '16' },
  cells: [
    {
      name: 'mixed',
      about: 'int32, float64, strings of 1 to 12 bytes and of 24, timestamp with nulls, boolean',
      arms: ARMS,
    },
    { name: 'numeric', about: 'int32, int64, float64, int16', arms: ARMS },
  ],

  async versions() {
    const { version } = await import('@duckdb/node-api');
    return { '@duckdb/node-api': await packageVersion('@duckdb/node-api'), duckdb: version() };
  },

  async prepare(input: Input) {
    const { writeInputs } = await import('./recurve/ingest.ts');
    for (const { name } of this.cells) await writeInputs(name, input);
  },

  async openArm(cell: string, arm: string, input: Input): Promise<Arm> {
    if (arm === 'recurve') return (await import('./recurve/ingest.ts')).openArm(cell, input);
    return (await import('./peers/duckdb-ingest.ts')).openArm(cell, arm, input);
  },
};
