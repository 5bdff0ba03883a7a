import type { Parameters } from '../../adbc/parameter.ts';
import type { DriverCall, DriverResult, RunRequest } from '../../adbc/spi.ts';
import type { RecordBatch } from '../../arrow/batch.ts';
import { Schema } from '../../arrow/schema.ts';
import { Table } from '../../arrow/table.ts';
import { type Cost, newCost } from '../../delivery/cost.ts';
import type { Plan } from '../../delivery/plan.ts';
import { RecurveError } from '../../error.ts';
import type { DecodeOptions } from './decode/option.ts';
import type { RowDecoder, RowDecoderOptions } from './decode/row-decoder.ts';
import { missingTypes, needsText } from './decode/schema.ts';
import type { PgColumn } from './decode/type.ts';
import type { BorrowedDecoder } from './decoder-store.ts';
import { readError, readRowsAffected } from './error.ts';
import { encodeParameters, hasWholeNumber } from './parameter.ts';
import { planPath } from './plan.ts';
import { inBestFormat, sendsBinary, unmeasuredArrays } from './result-type.ts';
import type { PostgresSession } from './session.ts';
import { Spool } from './spool.ts';
import { countParameters, isReading, words } from './sql-text.ts';
import { RowStream } from './stream.ts';
import { completeTypes } from './type-lookup.ts';
import { type Message, MessageType } from './wire/message-reader.ts';
import type { WireParameter } from './wire/message-writer.ts';
import { readRowDescription } from './wire/row-description.ts';

/** Of rows whose types are not known yet: past it the statement is stopped, its types are looked up, and it runs anew. */
const maxSpoolBytes = 8 * 1024 * 1024;

/** How rows are decoded, but for what a run says. */
export type ResultOptions = DecodeOptions;

/** A text to run, and the statement at the server that stands for it, if any. */
export interface StatementText {
  readonly sql: string;
  /** The server's statement for parameters of these types; undefined: the text is parsed with each run. */
  named?(oids: readonly number[]): NamedStatement | undefined;
}

/** A statement that the server keeps. */
export interface NamedStatement {
  readonly name: string;
  /** Whether the server has it. */
  parsed: boolean;
}

/** One run of a statement. */
export interface Run {
  readonly session: PostgresSession;
  readonly statement: StatementText;
  readonly request: RunRequest;
  readonly options: ResultOptions;
  readonly call: DriverCall;
  /** `performance.now()` of the call. */
  readonly startedMs: number;
}

/** How a run is tried. */
interface Attempt {
  readonly parameters: readonly WireParameter[];
  readonly resultFormats: readonly number[];
  /** Whether a savepoint stands before it, so that it can be stopped or tried again without its transaction. */
  readonly savepoint: boolean;
}

/** What the server says first: the columns of rows that follow, or that it is done. */
type Head =
  | { readonly kind: 'rows'; readonly columns: readonly PgColumn[] }
  | { readonly kind: 'done'; readonly rowsAffected: number };

const savepointName = 'recurve_before';

/**
 * Runs a statement by the path that fits, in one round trip where nothing stands in the way, and gives its result as a
 * stream of batches.
 */
export async function run({ session, statement, request, options, call, startedMs }: Run): Promise<DriverResult> {
  const { signal } = call;
  const { sql } = statement;
  const parameters = encodeParameters(request.parameters);
  if (parameters.length > 0) checkCount(sql, parameters.length);
  const plan = planPath(sql, parameters.length, request.path);
  const cost = newCost();
  const requestsBefore = session.requests;
  const work = new Work({ session, statement, request, options, signal, startedMs, cost, plan });
  try {
    await session.begin(signal);
    return await session.stoppable(signal, () =>
      plan.chosen === 'copy' ? work.copy() : work.rows(parameters, request.parameters),
    );
  } finally {
    cost.requests = session.requests - requestsBefore;
  }
}

/** A server that is told of more parameters than the text has takes them, and passes over them. */
function checkCount(sql: string, given: number): void {
  const expected = countParameters(sql);
  if (given === expected) return;
  throw new RecurveError('INVALID_ARGUMENT', `the statement has ${expected} parameters, and ${given} are given`);
}

/** Runs a statement of the driver's own; its rows as a table. */
export async function readTable(
  session: PostgresSession,
  sql: string,
  parameters: readonly WireParameter[],
  signal: AbortSignal,
): Promise<Table> {
  const work = new Work({
    session,
    statement: { sql },
    request: { parameters: [], limit: { maxRows: 1 << 20, maxBytes: 1 << 27, firstRows: 256 } },
    options: {},
    signal,
    startedMs: performance.now(),
    cost: newCost(),
    plan: { candidates: [{ name: 'rows' }], chosen: 'rows', reason: "the driver's own" },
  });
  await session.begin(signal);
  return session.stoppable(signal, async () => {
    const { schema, batches } = await work.rows(parameters, []);
    const list: RecordBatch[] = [];
    for (let next = await batches.next(); !next.done; next = await batches.next()) list.push(next.value);
    return new Table(schema, list);
  });
}

interface WorkParts {
  readonly session: PostgresSession;
  readonly statement: StatementText;
  readonly request: RunRequest;
  readonly options: ResultOptions;
  readonly signal: AbortSignal;
  readonly startedMs: number;
  readonly cost: Cost;
  readonly plan: Plan;
}

class Work {
  readonly #parts: WorkParts;
  readonly #receivedBefore: number;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#receivedBefore = parts.session.channel.receivedBytes;
  }

  async rows(parameters: readonly WireParameter[], given: Parameters): Promise<DriverResult> {
    const { session, statement, cost } = this.#parts;
    const inTransaction = session.status === 'open';
    const savepoint = inTransaction && isReading(statement.sql);
    const known = session.formats.get(statement.sql);
    let attempt: Attempt = { parameters, resultFormats: known ?? [1], savepoint };
    if (known === undefined && inTransaction && !savepoint && returnsRows(statement.sql)) {
      // A failure would take the transaction along: the columns are asked for first.
      attempt = { ...attempt, resultFormats: await this.#askFormats(parameters) };
    }
    for (let retries = 0; ; retries++) {
      try {
        return await this.#start(attempt);
      } catch (error) {
        if (retries >= 2 || !RecurveError.is(error) || !(await this.#recover(attempt))) throw error;
        if (error instanceof UnknownTypes) {
          await this.#lookUp(error.columns);
          cost.fallbacks.push('run again once the types of its columns were looked up');
        } else if (error instanceof NeedsText || hasNoBinaryForm(error)) {
          attempt = { ...attempt, resultFormats: await this.#askFormats(attempt.parameters) };
          cost.fallbacks.push('run again with text for columns whose type has no binary form that is known');
        } else if (known !== undefined && error.sqlState === '08P01') {
          // Other columns than before: formats are asked for anew.
          session.formats.delete(statement.sql);
          attempt = { ...attempt, resultFormats: [1] };
        } else if (isStale(error)) {
          cost.fallbacks.push('prepared again: what it returns has changed, or the server had forgotten it');
        } else if (error.sqlState === '42883' && hasWholeNumber(given) && attempt.parameters === parameters) {
          // No such function or operator for int8: the server may know one for what the text says.
          const failure = error;
          attempt = { ...attempt, parameters: encodeParameters(given, { loose: true }) };
          try {
            return await this.#start(attempt);
          } catch {
            await this.#recover(attempt);
            throw failure;
          }
        } else throw error;
      }
    }
  }

  async copy(): Promise<DriverResult> {
    const { session, statement, signal } = this.#parts;
    const { sql } = statement;
    const columns = await describeColumns(session, statement, []);
    if (columns.length === 0) throw new RecurveError('INVALID_ARGUMENT', 'COPY needs a query that returns columns');
    await this.#lookUp(columns);
    const savepoint = session.status === 'open' && isReading(sql);
    const { writer } = session;
    if (savepoint) writer.parse('', `SAVEPOINT ${savepointName}`).bind([]).execute();
    writer.parse('', `COPY (\n${sql}\n) TO STDOUT (FORMAT binary)`).bind([]).execute();
    if (savepoint) writer.parse('', `RELEASE SAVEPOINT ${savepointName}`).bind([]).execute();
    writer.sync();
    session.send();
    for (;;) {
      const message = await session.read();
      if (message.type === MessageType.ErrorResponse) {
        await session.finish({ failure: readError(message.body, { sql }) });
      } else if (message.type === MessageType.CopyOutResponse) {
        return this.#stream(
          columns.map((column) => ({ ...column, format: 1 })),
          { savepoint, framing: 'copy' },
        );
      }
      signal.throwIfAborted();
    }
  }

  /** Sends all, reads up to the first rows. */
  async #start(attempt: Attempt): Promise<DriverResult> {
    const { session, statement, cost, startedMs } = this.#parts;
    const { writer } = session;
    const { parameters, resultFormats, savepoint } = attempt;
    const { sql } = statement;
    const oids = parameters.map(({ oid }) => oid);
    const named = statement.named?.(oids);
    const name = named?.name ?? '';
    if (savepoint) writer.parse('', `SAVEPOINT ${savepointName}`).bind([]).execute();
    if (named?.parsed !== true) {
      // Closing what is not there does nothing; a failed run may have left it.
      if (named !== undefined) writer.close('statement', name);
      writer.parse(name, sql, oids);
    }
    writer.bind(parameters, { statement: name, resultFormats }).describe('portal').execute();
    if (savepoint) writer.parse('', `RELEASE SAVEPOINT ${savepointName}`).bind([]).execute();
    writer.sync();
    session.send();
    if (named !== undefined) named.parsed = false;
    const head = await this.#readHead(savepoint);
    if (named !== undefined) named.parsed = true;
    cost.submitMs ||= performance.now() - startedMs;
    if (head.kind === 'done') return this.#noRows(head.rowsAffected);
    const isKnown = this.#areKnown(head.columns);
    if (isKnown) await this.#assertReadable(head.columns);
    return isKnown ? this.#stream(head.columns, { savepoint, framing: 'rows' }) : this.#spool(head.columns, savepoint);
  }

  async #readHead(savepoint: boolean): Promise<Head> {
    const { session, statement } = this.#parts;
    const { sql } = statement;
    for (let commands = savepoint ? 1 : 0; ; ) {
      const message = await session.read();
      switch (message.type) {
        case MessageType.RowDescription:
          return { kind: 'rows', columns: readRowDescription(message.body) };
        case MessageType.ErrorResponse:
          await session.finish({ failure: readError(message.body, { sql }) });
          break;
        case MessageType.EmptyQueryResponse:
          await session.finish({
            failure: new RecurveError('INVALID_ARGUMENT', 'the text holds no statement', { exitCode: 2 }),
          });
          break;
        case MessageType.CopyOutResponse:
          session.cancel();
          await session.finish().catch(() => {});
          throw new RecurveError('INVALID_ARGUMENT', 'COPY … TO STDOUT gives a file, which is no result', {
            hint: 'write the query by itself; with the path copy it travels as COPY',
          });
        case MessageType.CopyInResponse:
          session.refuseCopy();
          await session.finish().catch(() => {});
          throw new RecurveError('INVALID_ARGUMENT', 'COPY … FROM STDIN has no data here', {
            hint: 'use ingest, which sends Arrow as binary COPY',
          });
        case MessageType.CommandComplete:
          if (commands-- === 0) return { kind: 'done', rowsAffected: await this.#finishCommand(message) };
          break;
        case MessageType.ReadyForQuery:
          throw new RecurveError('INTERNAL', 'the server is ready and has not answered');
      }
    }
  }

  async #finishCommand({ body }: Message): Promise<number> {
    const { session, statement } = this.#parts;
    await session.finish({ sql: statement.sql });
    return readRowsAffected(body);
  }

  #stream(
    columns: readonly PgColumn[],
    { savepoint, framing }: { readonly savepoint: boolean; readonly framing: RowDecoderOptions['framing'] },
  ): DriverResult {
    const { session, signal, cost, startedMs, statement, plan } = this.#parts;
    const batches = new RowStream({
      session,
      borrowed: this.#borrowDecoder(columns, framing),
      cost,
      signal,
      startedMs,
      sql: statement.sql,
      receivedBefore: this.#receivedBefore,
      onEnd: savepoint ? () => returnToSavepoint(session) : undefined,
    });
    session.live = batches;
    return {
      schema: batches.schema,
      get rowsAffected() {
        return batches.rowsAffected;
      },
      plan,
      cost,
      batches,
    };
  }

  #borrowDecoder(columns: readonly PgColumn[], framing: RowDecoderOptions['framing']): BorrowedDecoder {
    const { session, request, options } = this.#parts;
    return session.decoders.take({ columns, options, framing, limit: request.limit });
  }

  /** Rows of types that are not known: kept until the statement is over, and it is stopped when they are many. */
  async #spool(columns: readonly PgColumn[], savepoint: boolean): Promise<DriverResult> {
    const { session, statement, plan, cost } = this.#parts;
    const spool = new Spool(maxSpoolBytes);
    let failure: RecurveError | undefined;
    let rowsAffected = -1;
    let stopped = false;
    while (session.busy) {
      const message = await session.readRows(spool);
      if (message === undefined) {
        // What the server has sent meanwhile may be all: then it has run, and must not again.
        stopped = true;
        spool.unlimited = true;
        session.cancel();
      } else if (message.type === MessageType.CommandComplete && rowsAffected < 0) {
        rowsAffected = readRowsAffected(message.body);
      } else if (message.type === MessageType.ErrorResponse) {
        failure ??= readError(message.body, { sql: statement.sql });
      }
    }
    if (stopped && failure?.sqlState === '57014') throw new UnknownTypes(columns);
    if (failure !== undefined && hasNoBinaryForm(failure)) throw failure;
    if (failure !== undefined && session.status === 'failed' && !savepoint) throw failure;
    if (savepoint) await returnToSavepoint(session);
    await this.#lookUp(columns);
    await this.#assertReadable(columns);
    const { decoder } = this.#borrowDecoder(columns, 'rows');
    cost.wireBytes = session.channel.receivedBytes - this.#receivedBefore;
    return { schema: decoder.schema, rowsAffected, plan, cost, batches: decodeSpool(spool, decoder, failure) };
  }

  #lookUp(columns: readonly PgColumn[]): Promise<void> {
    return completeTypes(this.#parts.session, columns, this.#parts.signal);
  }

  #areKnown(columns: readonly PgColumn[]): boolean {
    const { types } = this.#parts.session;
    return missingTypes(columns, types).length === 0 && unmeasuredArrays(columns, types).length === 0;
  }

  /** For each column 1, or 0 where its type has no binary form. */
  async #askFormats(parameters: readonly WireParameter[]): Promise<number[]> {
    const { session, statement, options } = this.#parts;
    const columns = await describeColumns(session, statement, parameters);
    await this.#lookUp(columns);
    const formats = inBestFormat(columns, session.types, options).map(({ format }) => format);
    if (formats.includes(0)) session.formats.set(statement.sql, formats);
    return formats;
  }

  /** Throws {@link NeedsText} where columns came in binary that are to be asked for as text, once the server is ready. */
  async #assertReadable(columns: readonly PgColumn[]): Promise<void> {
    const { session, statement, options } = this.#parts;
    const { types } = session;
    const binary = columns.filter(({ format }) => format === 1);
    if (!binary.some((column) => needsText(column, types, options))) return;
    // What has no binary form the server refuses before the first row. What has one that is not known here stays as it
    // is where the statement may have written: it cannot run twice.
    const isRefused = !binary.every(({ oid }) => sendsBinary(oid, types));
    if (isRefused) await session.finish().catch(() => {});
    else if (isReading(statement.sql)) await session.stop();
    else return;
    throw new NeedsText();
  }

  /** After a failed attempt: whether another one is possible, the transaction as it was before. */
  async #recover({ savepoint }: Attempt): Promise<boolean> {
    const { session } = this.#parts;
    if (session.channel.failure !== undefined) return false;
    if (savepoint) await returnToSavepoint(session);
    return session.status !== 'failed';
  }

  #noRows(rowsAffected: number): DriverResult {
    const { plan, cost } = this.#parts;
    return { schema: new Schema([]), rowsAffected, plan, cost, batches: noBatches() };
  }
}

/** The columns that a statement returns, without running it. */
export async function describeColumns(
  session: PostgresSession,
  { sql }: StatementText,
  parameters: readonly WireParameter[],
): Promise<PgColumn[]> {
  session.writer
    .parse(
      '',
      sql,
      parameters.map(({ oid }) => oid),
    )
    .describe('statement')
    .sync();
  session.send();
  let columns: PgColumn[] = [];
  await session.finish({
    sql,
    hear: ({ type, body }) => {
      if (type === MessageType.RowDescription) columns = readRowDescription(body);
    },
  });
  return columns;
}

/** Undoes what failed or was stopped since the savepoint; nothing where it was released. */
async function returnToSavepoint(session: PostgresSession): Promise<void> {
  await session.settleCancel();
  if (session.status !== 'failed' || session.channel.failure !== undefined) return;
  session.writer.query(`ROLLBACK TO SAVEPOINT ${savepointName}; RELEASE SAVEPOINT ${savepointName}`);
  session.send();
  await session.finish();
}

async function* decodeSpool(
  spool: Spool,
  decoder: RowDecoder,
  failure: RecurveError | undefined,
): AsyncGenerator<RecordBatch, undefined> {
  for (const bytes of spool.drain()) {
    for (let at = 0; at < bytes.length; ) {
      at = decoder.take(bytes, at, bytes.length);
      if (!decoder.full) continue;
      const batch = decoder.finish();
      if (batch !== undefined) yield batch;
    }
  }
  const last = decoder.finish();
  if (last !== undefined) yield last;
  if (failure !== undefined) throw failure;
  return undefined;
}

/** The types of a result's columns were not known, and it was too long to keep. */
class UnknownTypes extends RecurveError {
  readonly columns: readonly PgColumn[];

  constructor(columns: readonly PgColumn[]) {
    super('INTERNAL', 'the types of the columns are not known');
    this.columns = columns;
  }
}

/** Columns came in binary that are better asked for as text; nothing was delivered. */
class NeedsText extends RecurveError {
  constructor() {
    super('INTERNAL', 'a column must be asked for as text');
  }
}

function hasNoBinaryForm({ sqlState, message }: RecurveError): boolean {
  return sqlState === '42883' && message.includes('binary output function');
}

/** Of a named statement: the server has it no more, or its tables have changed. A run parses what was not parsed. */
function isStale({ sqlState, message }: RecurveError): boolean {
  return sqlState === '26000' || (sqlState === '0A000' && message.includes('cached plan'));
}

/** Whether a statement that may change data can return rows. */
function returnsRows(sql: string): boolean {
  for (const word of words(sql)) {
    if (word === 'returning' || word === 'fetch' || word === 'execute' || word === 'call' || word === 'with')
      return true;
  }
  return isSelect(sql);
}

function isSelect(sql: string): boolean {
  for (const word of words(sql)) return word === 'select' || word === 'explain';
  return false;
}

// biome-ignore lint/correctness/useYield: a statement without a result has no batches.
async function* noBatches(): AsyncGenerator<RecordBatch, undefined> {
  return undefined;
}
