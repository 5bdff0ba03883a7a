import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  BatchLimit,
  Driver,
  DriverCall,
  DriverConnection,
  DriverDatabase,
  DriverResult,
  DriverStatements,
  RunRequest,
} from 'recurve/adbc';
import { batchFromArrays, Field, int64, type RecordBatch, RecurveError, Schema, utf8 } from 'recurve/arrow';
import { newCost } from 'recurve/delivery';

/** What a statement of the source gives. */
interface Answer {
  readonly schema: Schema;
  /** Infinity: it never ends. */
  readonly rowCount: number;
  /** Of each row, in Arrow; 0 for none worth counting. */
  readonly rowBytes: number;
  /** The columns of rows `first` to `first + count`. */
  columns(first: number, count: number): ArrayLike<unknown>[];
  /** Before every batch: never ends for a source that is stuck. */
  wait?(signal: AbortSignal): Promise<void>;
  /** Thrown in place of the end. */
  readonly failure?: RecurveError;
}

const numbers = new Schema([new Field('i', int64())]);
const texts = new Schema([new Field('s', utf8())]);

function count(first: number, rows: number): BigInt64Array {
  return BigInt64Array.from({ length: rows }, (_, i) => BigInt(first + i));
}

/**
 * The statements of the source: `answer`, `nothing`, `count N`, `texts N LENGTH`, `count for ever`, `fail after N`, `stuck`.
 * Throws INVALID_ARGUMENT for any other.
 */
function parse(sql: string): Answer {
  const [, verb = '', first = '', second = ''] =
    /^(answer|nothing|count for ever|stuck|count|texts|fail after)(?: (\d+))?(?: (\d+))?$/.exec(sql) ?? [];
  const rows = { schema: numbers, rowBytes: 8, columns: (from: number, size: number) => [count(from, size)] };
  switch (verb) {
    case 'answer':
      return { ...rows, rowCount: 1, columns: () => [BigInt64Array.of(42n)] };
    case 'nothing':
      return {
        schema: new Schema([new Field('a', int64()), new Field('b', utf8())]),
        rowCount: 0,
        rowBytes: 0,
        columns: () => [[], []],
      };
    case 'count':
      return { ...rows, rowCount: Number(first) };
    case 'count for ever':
      return { ...rows, rowCount: Number.POSITIVE_INFINITY };
    case 'texts': {
      const text = (i: number): string => `${i}`.padStart(Number(second), 'x');
      return {
        schema: texts,
        rowCount: Number(first),
        rowBytes: Number(second) + 8,
        columns: (from, size) => [Array.from({ length: size }, (_, i) => text(from + i))],
      };
    }
    case 'fail after':
      return {
        ...rows,
        rowCount: Number(first),
        failure: new RecurveError('INVALID_DATA', `row ${first} is no number`),
      };
    case 'stuck':
      return { ...rows, rowCount: 0, wait: aborted };
    default:
      throw new RecurveError('INVALID_ARGUMENT', `no statement ${JSON.stringify(sql)}`);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A source in memory without tables, which counts what is open. Shows that the contract asks for no database. */
export class MemoryDriver implements Driver {
  readonly name = 'memory';
  /** Databases, connections, statements and results that are not closed. */
  openCount = 0;

  async open(_options: ReadonlyMap<string, string>, { signal }: DriverCall): Promise<DriverDatabase> {
    await nextTurn();
    signal.throwIfAborted();
    this.openCount++;
    return {
      connect: async (call) => {
        await nextTurn();
        call.signal.throwIfAborted();
        this.openCount++;
        return this.#connection();
      },
      close: async () => {
        this.openCount--;
      },
    };
  }

  #connection(): DriverConnection {
    const lacking = async (): Promise<never> => {
      throw new RecurveError('NOT_IMPLEMENTED', 'the memory has no tables');
    };
    const statements: DriverStatements = {
      run: async (sql, request, call) => this.#run(parse(sql), request, call),
      prepare: async (sql) => {
        const answer = parse(sql);
        this.openCount++;
        return {
          parameterNames: [],
          description: {
            isReadOnly: true,
            getSchema: async () => answer.schema,
            getParameterSchema: async () => new Schema([]),
          },
          run: async (request, call) => this.#run(answer, request, call),
          close: async () => {
            this.openCount--;
          },
        };
      },
    };
    return {
      statements,
      metadata: {
        getTableSchema: lacking,
        getInfo: lacking,
        getObjects: lacking,
        getTableTypes: lacking,
        getStatistics: lacking,
      },
      session: { getOption: async () => undefined, setOption: async () => false, transaction: async () => {} },
      ingest: lacking,
      close: async () => {
        this.openCount--;
      },
    };
  }

  #run(answer: Answer, { limit, path }: RunRequest, call: DriverCall): DriverResult {
    call.signal.throwIfAborted();
    if (path !== undefined && path !== 'memory') {
      throw new RecurveError('INVALID_ARGUMENT', `no path ${JSON.stringify(path)}, only memory`);
    }
    const stopped = new AbortController();
    const batches = makeBatches(answer, limit, AbortSignal.any([call.signal, stopped.signal]));
    this.openCount++;
    let isOpen = true;
    const end = (): void => {
      if (isOpen) this.openCount--;
      isOpen = false;
    };
    const cost = newCost();
    cost.requests++;
    return {
      schema: answer.schema,
      rowsAffected: -1,
      plan: { candidates: [{ name: 'memory' }], chosen: 'memory', reason: 'the only path' },
      cost,
      batches: {
        next: async () => {
          try {
            const next = await batches.next();
            if (next.done) end();
            return next;
          } catch (error) {
            end();
            throw error;
          }
        },
        return: async () => {
          stopped.abort(new Error('stopped'));
          end();
          return { done: true, value: undefined };
        },
      },
    };
  }
}

async function* makeBatches(
  { schema, rowCount, rowBytes, columns, wait, failure }: Answer,
  { firstRows, maxRows, maxBytes }: BatchLimit,
  signal: AbortSignal,
): AsyncGenerator<RecordBatch, undefined> {
  const most = Math.max(1, Math.min(maxRows, Math.floor(maxBytes / Math.max(rowBytes, 1))));
  for (let first = 0; ; ) {
    await (wait === undefined ? nextTurn() : wait(signal));
    signal.throwIfAborted();
    const size = Math.min(first === 0 ? Math.min(firstRows, most) : most, rowCount - first);
    if (size <= 0) break;
    yield batchFromArrays(schema, columns(first, size));
    first += size;
  }
  if (failure !== undefined) throw failure;
  return undefined;
}
