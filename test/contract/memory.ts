import { openDatabase } from 'recurve/adbc';
import type { Harness } from './harness.ts';
import { MemoryDriver } from './memory-driver.ts';

const noTables = 'its statements count and wait, and nothing is kept';

/** The driver whose counts the test looks at in the end. */
export const memoryDriver: MemoryDriver = new MemoryDriver();

/** A source that is no database: what the suite asks of it shows what every driver must do. */
export const memory: Harness = {
  name: 'memory',
  open: () => openDatabase(memoryDriver, new Map([['uri', 'memory:']])),
  lacks: {
    tables: noTables,
    parameters: 'its statements take none',
    'named parameters': 'its statements take none',
    scripts: 'a text is one statement',
    types: 'it has int64 and utf8',
    'quoted names': 'it names no columns',
    'shared database': noTables,
    'secret options': 'it has no options',
    metadata: noTables,
    ingest: noTables,
  },
  skips: {},
  dialect: {
    answer: { sql: 'answer', value: 42n },
    empty: 'nothing',
    rows: (count) => `count ${count}`,
    texts: (count, length) => `texts ${count} ${length}`,
    endless: 'stuck',
    trickle: 'count for ever',
    failure: { sql: 'fail after 100000', rows: 100_000, status: 'INVALID_DATA' },
    refusals: [],
    parameter: (position) => `$${position}`,
    namedParameter: (name) => `$${name}`,
    select: () => 'answer',
    parameterCases: [],
    quote: (identifier) => identifier,
  },
};
