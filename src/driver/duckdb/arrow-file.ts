import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DriverCall } from '../../adbc/spi.ts';
import type { RecordBatch } from '../../arrow/batch.ts';
import { FileRangeReader } from '../../arrow/ipc/file-range-reader.ts';
import { StreamReader } from '../../arrow/ipc/stream-reader.ts';
import { Field, Schema } from '../../arrow/schema.ts';
import { RecurveError } from '../../error.ts';
import type { Status } from '../../status.ts';
import { makeNull } from './parameter-value.ts';
import { quoteIdentifier, quoteText } from './quote.ts';
import type { NativeType } from './read/native.ts';
import { readFlags } from './scalar.ts';
import type { NativeSession } from './session.ts';
import { BatchAppender } from './write/append.ts';
import { toNativeType } from './write/type.ts';

const arrowSuffix = /\.(arrow|arrows|feather|ipc)$/i;

/** What tells one state of a file from another. */
interface FileState {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** A file that is read: a view of its name over a table of ours. */
interface LoadedFile {
  readonly name: string;
  /** The table that holds the rows, in `temp.main`. */
  readonly table: string;
}

/**
 * Arrow files that statements name as tables (`FROM 'dir/x.arrow'`): when DuckDB finds no table of such a name, the file is
 * read into a temporary table, and a temporary view of that very name, so the statement runs as it was written, and DuckDB
 * refuses to write to it. The names are DuckDB's own word, by its error: asking for a statement's table names gives none for
 * joins with USING, parameters, INSERT and views.
 *
 * Both are dropped when the file has changed, before the next statement, and live as long as the connection at most.
 */
export class ArrowFiles {
  readonly #session: NativeSession;
  readonly #files = new Map<string, LoadedFile & { readonly state: FileState }>();
  /** Read or dropped in the open transaction, whose end may undo it. */
  #touched: LoadedFile[] = [];
  /** Of a transaction that has ended: they may be gone, or be back. */
  #stale: LoadedFile[] = [];
  /** The statement text that is served. */
  #sql = '';
  #count = 0;

  constructor(session: NativeSession) {
    this.#session = session;
  }

  /** Does `work`, which must change nothing before its names are found, again after each Arrow file that it lacks. */
  async serve<T>(call: DriverCall, work: () => Promise<T>): Promise<T> {
    const tried = new Set<string>();
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const name = missingTable(error);
        if (name === undefined || !arrowSuffix.test(name) || tried.has(name)) throw this.#explain(error);
        tried.add(name);
        await this.#read(name, error, call);
      }
    }
  }

  /**
   * Drops what was read of files that have changed or gone, or that DuckDB's settings no longer let it read. Throws
   * INVALID_ARGUMENT when the text names two files that differ in upper and lower case only, which are one table to DuckDB.
   */
  async refresh(sql: string, { signal }: DriverCall): Promise<void> {
    this.#sql = sql;
    // In a transaction that has failed nothing else works.
    if (/^\s*(ROLLBACK|ABORT)\b/i.test(sql)) return;
    for (const file of this.#stale.splice(0)) await this.#drop(file, signal);
    if (this.#files.size === 0) return;
    const refused = await this.#findRefusal([...this.#files.keys()], signal);
    for (const [name, file] of this.#files) {
      const changed = refused !== undefined || !sameState(file.state, await readState(name).catch(() => undefined));
      if (changed || (await this.#meansOther(name, file.state))) await this.#drop(file, signal);
    }
  }

  /** What was read in a transaction may be gone, what was dropped in it be back: it is read anew. */
  transactionEnded(): void {
    this.#stale.push(...this.#touched.splice(0));
  }

  /** Whether the text means another file by a name that is one with this one to DuckDB, and not this one. */
  async #meansOther(name: string, state: FileState): Promise<boolean> {
    const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const quoted = `'${pattern.replaceAll("'", "''")}'|"${pattern.replaceAll('"', '""')}"`;
    const spellings = new Set<string>();
    const tables = new Set<string>();
    for (const { 0: found, index } of this.#sql.matchAll(new RegExp(quoted, 'gi'))) {
      const quote = found.charAt(0);
      const spelling = found.slice(1, -1).replaceAll(quote + quote, quote);
      spellings.add(spelling);
      if (beforeTable.test(this.#sql.slice(0, index))) tables.add(spelling);
    }
    for (const spelling of spellings) {
      if (spelling === name) continue;
      const other = await readState(spelling).catch(() => undefined);
      // A name that is no file may as well be a text, or a column's qualifier.
      if (other === undefined ? !tables.has(spelling) : other.inode === state.inode && other.device === state.device)
        continue;
      if (!spellings.has(name)) return true;
      throw new RecurveError('INVALID_ARGUMENT', `the files ${name} and ${spelling} are one table name to DuckDB`, {
        hint: other === undefined ? `there is no file ${spelling}` : 'name one of them by its absolute path',
      });
    }
    return false;
  }

  /** DuckDB's error where its settings do not let it read one of these files: this process would, unasked. */
  async #findRefusal(names: readonly string[], signal: AbortSignal): Promise<RecurveError | undefined> {
    const glob = (name: string): string => `(SELECT count(*) >= 0 FROM glob(${quoteText(name)}))`;
    const open = `SELECT current_setting('enable_external_access') AND ${glob(names[0] ?? '')}`;
    try {
      // Where files are open to DuckDB, one of them stands for all.
      const [all] = await readFlags(this.#session, open, signal);
      if (all === true) return undefined;
      await this.#session.query(`SELECT ${names.map(glob).join(', ')}`, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (RecurveError.is(error) && error.status === 'UNAUTHORIZED') return error;
    }
    return undefined;
  }

  async #drop(file: LoadedFile, signal: AbortSignal): Promise<void> {
    const { name, table } = file;
    if ((this.#files.get(name)?.table ?? table) === table) {
      this.#files.delete(name);
      await this.#session.query(`DROP VIEW IF EXISTS temp.main.${quoteIdentifier(name)}`, signal).catch((error) => {
        // In the meantime somebody has made a table of that name.
        if (!String(error).includes('is of type')) throw error;
      });
    }
    await this.#session.query(`DROP TABLE IF EXISTS temp.main.${quoteIdentifier(table)}`, signal);
    if (this.#session.inTransaction) this.#touched.push(file);
  }

  async #read(name: string, cause: unknown, call: DriverCall): Promise<void> {
    const refused = await this.#findRefusal([name], call.signal);
    if (refused !== undefined) {
      const { status, message, hint, details, exitCode } = refused;
      const plain = message.replace(/ \(line \d+.*\)$/, '');
      throw new RecurveError(status, plain, { hint, details, exitCode, cause: refused });
    }
    const state = await readState(name);
    if (state === undefined) {
      const pattern = /[*?[\]]/.test(name);
      throw new RecurveError('NOT_FOUND', `there is no table and no file ${JSON.stringify(name)}`, {
        hint: pattern ? 'Arrow files are named one by one: patterns are not expanded' : undefined,
        cause,
      });
    }
    await this.#meansOther(name, state);
    const before = this.#files.get(name);
    if (before !== undefined) await this.#drop(before, call.signal);
    const file = { name, table: `${name} #${++this.#count}`, state };
    if (this.#session.inTransaction) this.#touched.push(file);
    try {
      await withArrowFile(state.path, call.signal, (schema, batches) => this.#load(file.table, schema, batches, call));
      const [view, table] = [name, file.table].map(quoteIdentifier);
      await this.#session.query(`CREATE TEMPORARY VIEW ${view} AS FROM temp.main.${table}`, call.signal);
    } catch (error) {
      // What is left of the table must not be taken for the file.
      await this.#drop(file, never).catch(() => undefined);
      throw named(error, name);
    }
    this.#files.set(name, file);
  }

  /** Says of a statement that would write to a file what to do instead. */
  #explain(error: unknown): unknown {
    if (!RecurveError.is(error) || !writeRefused.test(error.message)) return error;
    const name = [...this.#files.keys()].find((key) =>
      [quoteText(key), quoteIdentifier(key)].some((quoted) => this.#sql.toLowerCase().includes(quoted.toLowerCase())),
    );
    if (name === undefined) return error;
    const { message, details, cause } = error;
    return new RecurveError('INVALID_ARGUMENT', message, {
      hint: `${name} is a file, which is only read: CREATE TABLE t AS FROM ${quoteText(name)} and change the table`,
      details,
      cause,
    });
  }

  async #load(name: string, schema: Schema, batches: AsyncIterable<RecordBatch>, call: DriverCall): Promise<void> {
    const { binding, connection } = this.#session;
    const { signal } = call;
    if (schema.fields.length === 0) throw new RecurveError('INVALID_DATA', 'the file has no columns');
    const columns = uniqueColumns(schema);
    const types = columns.fields.map((field) => toNativeType(binding, field, JSON.stringify(field.name)));
    await this.#createTable(name, columns, types, signal);
    const appender = new BatchAppender(binding, binding.appender_create_ext(connection, 'temp', 'main', name), types);
    try {
      for await (const batch of batches) await appender.append(columns, batch, signal);
    } catch (error) {
      appender.discard();
      throw error;
    }
    appender.finish();
  }

  /** From nulls of the columns' types, since types have no text form that the bindings give. */
  async #createTable(name: string, schema: Schema, types: readonly NativeType[], signal: AbortSignal): Promise<void> {
    const { binding, connection } = this.#session;
    const list = schema.fields.map((field, i) => `$${i + 1} AS ${quoteIdentifier(field.name)}`).join(', ');
    const sql = `CREATE TEMPORARY TABLE ${quoteIdentifier(name)} AS SELECT ${list} LIMIT 0`;
    const prepared = await this.#session.call(() => binding.prepare(connection, sql), {
      signal,
      discard: (late) => binding.destroy_prepare_sync(late),
    });
    try {
      types.forEach((type, i) => {
        binding.bind_value(prepared, i + 1, makeNull(binding, type));
      });
      await this.#session.call(() => binding.execute_prepared(prepared), { signal });
    } finally {
      this.#session.release(prepared);
    }
  }
}

const never = new AbortController().signal;

/** What stands before the name of a table. */
const beforeTable = /(?:\b(?:FROM|JOIN|USING|TABLE|INTO|DESCRIBE|SUMMARIZE|PIVOT|UNPIVOT)|,)\s*$/i;

/** DuckDB's words for a view that a statement would change. */
const writeRefused = /is not an? table|Can only (?:update|delete|merge|modify)|on a base table|is of type View/;

/** DuckDB's words for a name that is no table: for a file that does not exist, and for one that it cannot read. */
const missing = [
  /^Catalog Error: Table with name ([\s\S]+?) does not exist!/,
  /^Binder Error: No extension found that is capable of reading the file "([\s\S]+?)"(?:\n|$)/,
];

/** The table that a statement names and DuckDB does not find. */
function missingTable(error: unknown): string | undefined {
  if (!RecurveError.is(error) || !(error.cause instanceof Error)) return undefined;
  const { message } = error.cause;
  return missing.map((pattern) => pattern.exec(message)?.[1]).find((name) => name !== undefined);
}

/** What the system's codes mean for a file; others are IO. */
const fileErrors: Readonly<Record<string, Status>> = {
  ENOENT: 'NOT_FOUND',
  ENOTDIR: 'NOT_FOUND',
  EISDIR: 'NOT_FOUND',
  ENAMETOOLONG: 'NOT_FOUND',
  EACCES: 'UNAUTHORIZED',
  EPERM: 'UNAUTHORIZED',
};

/** The error for a file that the system does not let be read; what is no system's error as it is. */
function toFileError(error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (RecurveError.is(error) || !(error instanceof Error) || code === undefined || syscall === undefined) return error;
  return new RecurveError(fileErrors[code] ?? 'IO', error.message, {
    hint: code === 'EMFILE' ? 'raise the limit of open files (ulimit -n)' : undefined,
    exitCode: 1,
    cause: error,
  });
}

/** Undefined when there is no such file. Throws where that cannot be told, by {@link toFileError}. */
async function readState(name: string): Promise<FileState | undefined> {
  const path = resolve(name);
  try {
    const stats = await stat(path, { bigint: true });
    if (!stats.isFile()) return undefined;
    return { path, device: stats.dev, inode: stats.ino, size: stats.size, mtimeNs: stats.mtimeNs };
  } catch (error) {
    const known = toFileError(error);
    if (RecurveError.is(known) && known.status === 'NOT_FOUND') return undefined;
    throw named(known, name);
  }
}

function sameState(a: FileState, b: FileState | undefined): boolean {
  return b !== undefined && a.path === b.path && a.inode === b.inode && a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** Reads a file by its footer, a stream from front to back. */
async function withArrowFile(
  path: string,
  signal: AbortSignal,
  work: (schema: Schema, batches: AsyncIterable<RecordBatch>) => Promise<void>,
): Promise<void> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const head = await readRange(handle, 0, Math.min(size, 8));
    if (String.fromCharCode(...head.subarray(0, 6)) === 'ARROW1') {
      const reader = await FileRangeReader.open({ size, read: (offset, length) => readRange(handle, offset, length) });
      await work(reader.schema, reader);
    } else {
      const source = createReadStream(path, { highWaterMark: 1 << 20 });
      const reader = await StreamReader.from(source, { signal });
      await work(reader.schema, reader);
    }
  } finally {
    await handle.close();
  }
}

async function readRange(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) return bytes.subarray(0, filled);
    filled += bytesRead;
  }
  return bytes;
}

/** The columns under names that a table can have: none empty, none twice in upper and lower case alike. */
function uniqueColumns(schema: Schema): Schema {
  const taken = new Set<string>();
  const fields = schema.fields.map((field, i) => {
    const wanted = field.name === '' ? `column${i}` : field.name;
    let name = wanted;
    for (let k = 1; taken.has(name.toLowerCase()); k++) name = `${wanted}_${k}`;
    taken.add(name.toLowerCase());
    return name === field.name
      ? field
      : new Field(name, field.type, { nullable: field.nullable, metadata: field.metadata });
  });
  return new Schema(fields);
}

/** The error with the file's name in front. */
function named(thrown: unknown, name: string): unknown {
  const error = toFileError(thrown);
  if (!RecurveError.is(error)) return error;
  const { status, message, hint, details, exitCode } = error;
  return new RecurveError(status, `${name}: ${message}`, { hint, details, exitCode, cause: error });
}
