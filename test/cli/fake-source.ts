import { openDatabase } from '../../src/adbc/database.ts';
import type { Driver, RunRequest } from '../../src/adbc/spi.ts';
import type { RecordBatch } from '../../src/arrow/batch.ts';
import type { Schema } from '../../src/arrow/schema.ts';
import type { Open } from '../../src/cli/source.ts';
import { newCost } from '../../src/delivery/cost.ts';
import { RecurveError } from '../../src/error.ts';

/** A source that gives the batches it is told to, through the real connection and result. */
export interface FakeSource {
  readonly open: Open;
  /** Statements that ran, each with its request. */
  readonly runs: { readonly uri: string; readonly sql: string; readonly request: RunRequest }[];
  /** Batches that were asked for. */
  pulled: number;
  /** Whether the source was told to stop before its end. */
  stopped: boolean;
  closed: boolean;
}

export interface FakeSourceOptions {
  readonly schema: Schema;
  /** Batch by number; undefined ends the result, an error fails it, a promise that never settles hangs it. */
  readonly next: (index: number) => RecordBatch | undefined | Promise<RecordBatch | undefined>;
  /** Thrown by `run`. */
  readonly refusal?: RecurveError;
}

export function fakeSource(options: FakeSourceOptions): FakeSource {
  const source: FakeSource = { open, runs: [], pulled: 0, stopped: false, closed: false };
  async function open(uri: string): Promise<Awaited<ReturnType<Open>>> {
    const database = await openDatabase(makeDriver(source, options, uri), new Map([['uri', uri]]));
    return { connection: await database.connect(), close: () => database.close() };
  }
  return source;
}

function makeDriver(source: FakeSource, options: FakeSourceOptions, uri: string): Driver {
  const unused = (): never => {
    throw new RecurveError('NOT_IMPLEMENTED', 'the fake source has none of it');
  };
  return {
    name: 'fake',
    open: async () => ({
      close: async () => {
        source.closed = true;
      },
      connect: async () => ({
        statements: {
          prepare: unused,
          run: async (sql, request, { signal }) => {
            source.runs.push({ uri, sql, request });
            if (options.refusal !== undefined) throw options.refusal;
            const aborted = new Promise<never>((_, reject) => {
              signal.addEventListener('abort', () => {
                source.stopped = true;
                reject(signal.reason);
              });
            });
            aborted.catch(() => {});
            return {
              schema: options.schema,
              rowsAffected: -1,
              plan: { candidates: [{ name: 'fake' }], chosen: 'fake', reason: 'there is no other' },
              cost: newCost(),
              batches: {
                next: async () => {
                  const value = await Promise.race([options.next(source.pulled++), aborted]);
                  return value === undefined ? { done: true, value } : { done: false, value };
                },
                return: async () => {
                  source.stopped = true;
                  return { done: true, value: undefined };
                },
              },
            };
          },
        },
        ingest: unused,
        metadata: {
          getTableSchema: unused,
          getInfo: unused,
          getObjects: unused,
          getTableTypes: unused,
          getStatistics: unused,
        },
        session: { getOption: unused, setOption: unused, transaction: unused },
        close: async () => {},
      }),
    }),
  };
}
