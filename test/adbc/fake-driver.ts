import type {
  Driver,
  DriverCall,
  DriverConnection,
  DriverDatabase,
  DriverResult,
  DriverStatement,
  DriverStatements,
  IngestRequest,
  RunRequest,
  TableName,
  TransactionAction,
} from 'recurve/adbc';
import {
  InfoCode,
  type InfoValue,
  type ObjectFilter,
  objectsSchema,
  type StatisticFilter,
  statisticsSchema,
} from 'recurve/adbc';
import type { RecordBatch } from 'recurve/arrow';
import { Field, RecurveError, Schema, Table } from 'recurve/arrow';
import { newCost } from 'recurve/delivery';
import { numberBatch, numberSchema } from '../delivery/batch.ts';

/** What a statement of the fake source does. */
export interface Script {
  /** Batches to send. Default 3. */
  readonly batches?: number;
  /** Rows of each. Default 10. */
  readonly rows?: number;
  /** Before the source accepts the statement. Default none. */
  readonly submitMs?: number;
  /** Before each batch, and before the end. Default none. */
  readonly batchMs?: number;
  /** Thrown instead of accepting the statement. */
  readonly refuse?: unknown;
  /** Thrown instead of batch `failAt`. */
  readonly failAt?: number;
  readonly failure?: unknown;
  /** What is affected, known at the end. Default −1. */
  readonly rowsAffected?: number;
  /** Pays no heed to the signal. */
  readonly deaf?: boolean;
  readonly schema?: Schema;
}

const plan = { candidates: [{ name: 'fake' }], chosen: 'fake', reason: 'the only path' };

/**
 * A source in memory that runs scripts by their name in place of SQL, and notes what it is asked, in order. Calls that
 * overlap on a connection, and closing or reading what is closed, are noted as faults.
 */
export class FakeDriver implements Driver {
  readonly name = 'fake';
  readonly calls: string[] = [];
  readonly faults: string[] = [];
  readonly requests: RunRequest[] = [];
  /** Opened and not yet closed. */
  readonly alive = { databases: 0, connections: 0, statements: 0, results: 0 };
  readonly scripts: Readonly<Record<string, Script>>;
  /** How long open, connect, prepare and transactions take. */
  callMs: number;
  /** Pays no heed to signals, but while batches are read. */
  deaf = false;
  /** Connections that are open. */
  readonly connections = new Set<DriverConnection>();
  /** Whether the source has dropped a connection: every statement on it fails. */
  isDead: (connection: DriverConnection) => boolean = () => false;
  /** Told of each call as it is made, and of each batch that is asked for. */
  onCall: (name: string) => void = () => {};
  /** The next call of this name throws. */
  readonly failNext = new Map<string, unknown>();

  constructor(scripts: Readonly<Record<string, Script>> = {}, callMs = 0) {
    this.scripts = scripts;
    this.callMs = callMs;
  }

  async open(options: ReadonlyMap<string, string>, call: DriverCall): Promise<DriverDatabase> {
    await this.step(`open ${options.get('uri')}`, call.signal);
    this.alive.databases += 1;
    return {
      connect: async (connectCall) => {
        await this.step('connect', connectCall.signal);
        return new FakeConnection(this);
      },
      close: async () => {
        this.alive.databases -= 1;
        if (this.alive.connections > 0) this.faults.push('database closed before its connections');
        await this.step('close database');
      },
    };
  }

  /** Notes a call, takes its time, and fails when that is wanted. */
  async step(name: string, signal?: AbortSignal, takeMs: number = this.callMs): Promise<void> {
    this.calls.push(name);
    this.onCall(name);
    await pause(takeMs, this.deaf ? undefined : signal);
    if (!this.failNext.has(name)) return;
    const failure = this.failNext.get(name);
    this.failNext.delete(name);
    throw failure;
  }
}

class FakeConnection implements DriverConnection {
  readonly driver: FakeDriver;
  #busy: string | undefined;
  #live: FakeResult | undefined;
  #closed = false;

  constructor(driver: FakeDriver) {
    this.driver = driver;
    driver.alive.connections += 1;
    driver.connections.add(this);
  }

  readonly metadata = {
    getTableSchema: (table: TableName, call: DriverCall): Promise<Schema> =>
      this.exclusive('schema', async () => {
        await this.driver.step(`schema ${[table.catalog, table.dbSchema, table.tableName].join('.')}`, call.signal);
        return numberSchema;
      }),
    getInfo: (call: DriverCall): Promise<ReadonlyMap<number, InfoValue>> =>
      this.exclusive('info', async () => {
        await this.driver.step('info', call.signal);
        return new Map<number, InfoValue>([
          [InfoCode.VendorName, 'fake'],
          [InfoCode.VendorSql, true],
          [InfoCode.DriverAdbcVersion, 1_001_000n],
          [10_000, ['one', 'two']],
        ]);
      }),
    getObjects: (filter: ObjectFilter, call: DriverCall): Promise<Table> =>
      this.exclusive('objects', async () => {
        await this.driver.step(`objects ${JSON.stringify(filter)}`, call.signal);
        return new Table(objectsSchema, []);
      }),
    getTableTypes: (call: DriverCall): Promise<readonly string[]> =>
      this.exclusive('table types', async () => {
        await this.driver.step('table types', call.signal);
        return ['TABLE', 'VIEW'];
      }),
    getStatistics: (filter: StatisticFilter, call: DriverCall): Promise<Table> =>
      this.exclusive('statistics', async () => {
        await this.driver.step(`statistics ${JSON.stringify(filter)}`, call.signal);
        return new Table(statisticsSchema, []);
      }),
  };

  /** The fake source has one option. */
  #flavour = 'plain';
  readonly session = {
    getOption: (key: string, call: DriverCall): Promise<string | undefined> =>
      this.exclusive('get option', async () => {
        await this.driver.step(`get ${key}`, call.signal);
        return key === 'fake.flavour' ? this.#flavour : undefined;
      }),
    setOption: (key: string, value: string, call: DriverCall): Promise<boolean> =>
      this.exclusive('set option', async () => {
        await this.driver.step(`set ${key} ${value}`, call.signal);
        if (key !== 'fake.flavour') return false;
        this.#flavour = value;
        return true;
      }),
    transaction: (action: TransactionAction, call: DriverCall): Promise<void> =>
      this.exclusive(action, () => this.driver.step(action, call.signal)),
  };

  readonly statements: DriverStatements = {
    run: (sql, request, call) => this.#run(sql, request, call),
    prepare: (sql, call) => this.#prepare(sql, call),
  };

  #run(sql: string, request: RunRequest, call: DriverCall): Promise<DriverResult> {
    return this.exclusive(`run ${sql}`, async () => {
      this.driver.requests.push(request);
      if (this.driver.isDead(this)) {
        this.driver.calls.push(`run ${sql}`);
        throw new RecurveError('IO', 'the server closed the connection');
      }
      const script = this.driver.scripts[sql];
      if (script === undefined) throw new RecurveError('INVALID_ARGUMENT', `syntax error at ${JSON.stringify(sql)}`);
      await this.driver.step(`run ${sql}`, script.deaf ? undefined : call.signal, script.submitMs ?? 0);
      if (script.refuse !== undefined) throw script.refuse;
      this.#live = new FakeResult(this.driver, sql, script, call.signal);
      return this.#live;
    });
  }

  #prepare(sql: string, call: DriverCall): Promise<DriverStatement> {
    return this.exclusive(`prepare ${sql}`, async () => {
      await this.driver.step(`prepare ${sql}`, call.signal);
      this.driver.alive.statements += 1;
      let closed = false;
      return {
        parameterNames: ['1', 'name'],
        description: {
          isReadOnly: !sql.startsWith('write'),
          getSchema: (_parameters, describeCall) =>
            this.exclusive(`describe ${sql}`, async () => {
              await this.driver.step(`describe ${sql}`, describeCall.signal);
              return this.driver.scripts[sql]?.schema ?? numberSchema;
            }),
          getParameterSchema: (describeCall) =>
            this.exclusive(`describe parameters ${sql}`, async () => {
              await this.driver.step(`describe parameters ${sql}`, describeCall.signal);
              return new Schema([new Field('', { kind: 'null' }), new Field('name', { kind: 'null' })]);
            }),
        },
        run: (request, runCall) => this.#run(sql, request, runCall),
        close: () =>
          this.exclusive(`close statement ${sql}`, async () => {
            if (closed) this.driver.faults.push(`statement ${sql} closed twice`);
            closed = true;
            this.driver.alive.statements -= 1;
            await this.driver.step(`close statement ${sql}`);
          }),
      };
    });
  }

  /** Counts the rows; `failNext` as for any call. */
  ingest(request: IngestRequest, call: DriverCall): Promise<number> {
    return this.exclusive('ingest', async () => {
      const { table, mode, temporary } = request;
      const name = [table.catalog, table.dbSchema, table.tableName].join('.');
      await this.driver.step(`ingest ${name} ${mode}${temporary ? ' temporary' : ''}`, call.signal);
      let rows = 0;
      for await (const batch of request.batches) {
        await this.driver.step(`write ${batch.numRows}`, call.signal);
        rows += batch.numRows;
      }
      return rows;
    });
  }

  async close(): Promise<void> {
    if (this.#closed) this.driver.faults.push('connection closed twice');
    this.#closed = true;
    this.driver.alive.connections -= 1;
    this.driver.connections.delete(this);
    await this.driver.step('close connection');
  }

  async exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { faults } = this.driver;
    if (this.#closed) faults.push(`${name} on a closed connection`);
    if (this.#busy !== undefined) faults.push(`${name} during ${this.#busy}`);
    if (this.#live !== undefined && !this.#live.ended) faults.push(`${name} while a result is live`);
    this.#busy = name;
    try {
      return await work();
    } finally {
      this.#busy = undefined;
    }
  }
}

class FakeResult implements DriverResult {
  readonly schema: Schema;
  readonly plan = plan;
  readonly cost = newCost();
  readonly batches: AsyncIterator<RecordBatch, undefined>;
  rowsAffected = -1;
  ended = false;

  constructor(driver: FakeDriver, sql: string, script: Script, signal: AbortSignal) {
    this.schema = script.schema ?? numberSchema;
    driver.alive.results += 1;
    const { batches = 3, rows = 10, batchMs = 0 } = script;
    const stopped = new AbortController();
    const either = script.deaf ? stopped.signal : AbortSignal.any([signal, stopped.signal]);
    let index = 0;
    let reading = false;
    const end = (): void => {
      if (!this.ended) driver.alive.results -= 1;
      this.ended = true;
    };
    this.batches = {
      next: async () => {
        if (reading) driver.faults.push('batches are read twice at a time');
        if (this.ended) return { done: true, value: undefined };
        reading = true;
        driver.onCall(`batch ${index}`);
        try {
          await pause(batchMs, either);
          if (index === script.failAt) throw script.failure ?? new RecurveError('IO', `lost at batch ${index}`);
        } catch (error) {
          end();
          throw error;
        } finally {
          reading = false;
        }
        if (index === batches) {
          this.rowsAffected = script.rowsAffected ?? -1;
          end();
          return { done: true, value: undefined };
        }
        this.cost.wireBytes += rows;
        return { done: false, value: numberBatch(index++ * rows, rows) };
      },
      return: async () => {
        driver.calls.push(`stop ${sql}`);
        stopped.abort(new Error('stopped'));
        await pause(1);
        end();
        return { done: true, value: undefined };
      },
    };
  }
}

function pause(delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (delayMs === 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
