import { randomBytes } from 'node:crypto';
import type { Parameters } from '../../adbc/parameter.ts';
import type {
  DriverCall,
  DriverResult,
  DriverRowsResult,
  DriverStatement,
  DriverStatementDescription,
  DriverStatements,
  RunRequest,
} from '../../adbc/spi.ts';
import { Schema } from '../../arrow/schema.ts';
import { RecurveError } from '../../error.ts';
import { BoundRowsResult } from './bound-rows.ts';
import { readSchema } from './decode/schema.ts';
import type { PgColumn } from './decode/type.ts';
import { describeColumns, type NamedStatement, type ResultOptions, run, type StatementText } from './execution.ts';
import { encodeParameters } from './parameter.ts';
import { inBestFormat } from './result-type.ts';
import type { PostgresSession } from './session.ts';
import { isReading, splitStatements } from './sql-text.ts';
import { completeTypes } from './type-lookup.ts';
import { MessageType } from './wire/message-reader.ts';
import type { WireParameter } from './wire/message-writer.ts';
import { readParameterDescription } from './wire/row-description.ts';

/** Statements that a prepared text is kept as: one for each combination of parameter types. */
const maxVariants = 8;

/** Statement texts on one connection. */
export class PostgresStatements implements DriverStatements {
  readonly #session: PostgresSession;
  readonly #options: ResultOptions;
  /** Whether something stands in between that gives each transaction another server connection. */
  #isPooled: boolean | undefined;

  constructor(session: PostgresSession, options: ResultOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** A text of several statements runs as a script: the last one gives the result and takes the parameters. */
  async run(sql: string, request: RunRequest, call: DriverCall): Promise<DriverResult> {
    const startedMs = performance.now();
    const session = this.#session;
    const options = this.#options;
    const texts = sql.includes(';') ? splitStatements(sql) : [sql];
    const last = texts.pop();
    if (last === undefined) throw emptyError();
    for (const text of texts) {
      const before = { ...request, parameters: [], path: undefined };
      const { batches } = await run({ session, statement: { sql: text }, request: before, options, call, startedMs });
      while (!(await batches.next()).done);
    }
    return run({ session, statement: { sql: last }, request, options, call, startedMs });
  }

  /** Throws INVALID_ARGUMENT for a text of several statements. */
  async prepare(sql: string, call: DriverCall): Promise<DriverStatement> {
    const [text, ...others] = sql.includes(';') ? splitStatements(sql) : [sql];
    if (text === undefined) throw emptyError();
    if (others.length > 0) {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `a prepared text is one statement, and this one holds ${others.length + 1}`,
        {
          hint: 'run a script with query or execute',
        },
      );
    }
    this.#isPooled ??= await this.#detectPool(call.signal);
    const parameterOids = await this.#describeParameters(text, call.signal);
    return new PostgresStatement(this.#session, text, parameterOids, {
      options: this.#options,
      keep: !this.#isPooled,
    });
  }

  /** A pooler gives keys of its own: the server's process is then another one than it said. */
  async #detectPool(signal: AbortSignal): Promise<boolean> {
    const table = await this.#session.query('SELECT pg_catalog.pg_backend_pid() AS value', [], signal);
    return Number(table.column('value').at(0)) !== this.#session.processId;
  }

  async #describeParameters(sql: string, signal: AbortSignal): Promise<readonly number[]> {
    const session = this.#session;
    await session.begin(signal);
    return session.stoppable(signal, async () => {
      session.writer.parse('', sql).describe('statement').sync();
      session.send();
      let oids: readonly number[] = [];
      let isEmpty = true;
      await session.finish({
        sql,
        hear: ({ type, body }) => {
          if (type === MessageType.ParameterDescription) oids = readParameterDescription(body);
          isEmpty = false;
        },
      });
      if (isEmpty) throw emptyError();
      return oids;
    });
  }
}

/** A prepared statement: kept by the server under a name that nobody else has, once for each combination of parameter types. */
class PostgresStatement implements DriverStatement {
  readonly parameterNames: readonly string[];
  readonly description: DriverStatementDescription;
  readonly #session: PostgresSession;
  readonly #text: StatementText;
  readonly #options: ResultOptions;
  readonly #variants = new Map<string, NamedStatement>();
  readonly #prefix = `recurve_${randomBytes(8).toString('hex')}`;
  #count = 0;

  constructor(
    session: PostgresSession,
    sql: string,
    parameterOids: readonly number[],
    { options, keep }: { readonly options: ResultOptions; readonly keep: boolean },
  ) {
    this.#session = session;
    this.#options = options;
    this.#text = keep ? { sql, named: (oids) => this.#variant(oids) } : { sql };
    this.parameterNames = parameterOids.map((_, i) => `${i + 1}`);
    this.description = new PostgresStatementDescription(session, sql, parameterOids, options);
  }

  async run(request: RunRequest, call: DriverCall): Promise<DriverResult> {
    const { parameters } = request;
    const given = Object.keys(parameters).length;
    const expected = this.parameterNames.length;
    if (Array.isArray(parameters) && given !== expected) {
      throw new RecurveError('INVALID_ARGUMENT', `the statement has ${expected} parameters, and ${given} are given`);
    }
    return run({
      session: this.#session,
      statement: this.#text,
      request,
      options: this.#options,
      call,
      startedMs: performance.now(),
    });
  }

  async runEach(rows: readonly Parameters[], request: RunRequest, call: DriverCall): Promise<DriverRowsResult> {
    const session = this.#session;
    const { sql } = this.#text;
    const { signal } = call;
    const [first = []] = rows;
    const given = encodeParameters(first);
    const oids = given.map(({ oid }) => oid);
    const columns = await describe(session, sql, given, { options: this.#options, signal });
    const options = this.#options;
    return new BoundRowsResult({
      session,
      sql,
      named: this.#text.named?.(oids),
      oids,
      rows,
      columns,
      request,
      options,
      call,
    });
  }

  async close(): Promise<void> {
    const session = this.#session;
    const names = [...this.#variants.values()];
    this.#variants.clear();
    if (names.length === 0 || session.channel.failure !== undefined) return;
    const { signal } = new AbortController();
    await session.begin(signal);
    for (const { name } of names) session.writer.close('statement', name);
    session.writer.sync();
    session.send();
    await session.finish();
  }

  /** The oldest gives way to a new one: its name is used again. */
  #variant(oids: readonly number[]): NamedStatement {
    const key = oids.join();
    let variant = this.#variants.get(key);
    if (variant === undefined) {
      const [oldest] = this.#variants.size < maxVariants ? [] : this.#variants.keys();
      const name = oldest === undefined ? undefined : this.#variants.get(oldest)?.name;
      if (oldest !== undefined) this.#variants.delete(oldest);
      variant = { name: name ?? `${this.#prefix}_${++this.#count}`, parsed: false };
      this.#variants.set(key, variant);
    }
    return variant;
  }
}

/** What the server says of a statement without running it. It is asked anew each time: the catalog may have changed. */
class PostgresStatementDescription implements DriverStatementDescription {
  readonly #session: PostgresSession;
  readonly #sql: string;
  readonly #parameterOids: readonly number[];
  readonly #options: ResultOptions;

  constructor(session: PostgresSession, sql: string, parameterOids: readonly number[], options: ResultOptions) {
    this.#session = session;
    this.#sql = sql;
    this.#parameterOids = parameterOids;
    this.#options = options;
  }

  get isReadOnly(): boolean {
    return isReading(this.#sql);
  }

  async getSchema(parameters: Parameters, { signal }: DriverCall): Promise<Schema> {
    const columns = await describe(this.#session, this.#sql, encodeParameters(parameters), {
      options: this.#options,
      signal,
    });
    return readSchema(columns, this.#session.types, this.#options);
  }

  async getParameterSchema({ signal }: DriverCall): Promise<Schema> {
    const session = this.#session;
    const columns = this.#parameterOids.map((oid) => ({ name: '', oid, typmod: -1, format: 1 as const }));
    await session.begin(signal);
    await session.stoppable(signal, () => completeTypes(session, columns, signal));
    const { fields } = readSchema(columns, session.types, this.#options);
    return new Schema(fields);
  }
}

/** What a statement returns, each column in the format in which it is to be asked for; its types are known then. */
async function describe(
  session: PostgresSession,
  sql: string,
  parameters: readonly WireParameter[],
  { options, signal }: { readonly options: ResultOptions; readonly signal: AbortSignal },
): Promise<readonly PgColumn[]> {
  await session.begin(signal);
  return session.stoppable(signal, async () => {
    const columns = await describeColumns(session, { sql }, parameters);
    await completeTypes(session, columns, signal);
    return inBestFormat(columns, session.types, options);
  });
}

function emptyError(): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', 'the text holds no statement', { exitCode: 2 });
}
