import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { DriverCall } from '../../adbc/spi.ts';
import type { RecordBatch } from '../../arrow/batch.ts';
import { FileRangeReader } from '../../arrow/ipc/file-reader.ts';
import { StreamReader } from '../../arrow/ipc/stream-reader.ts';
import { Field, Schema } from '../../arrow/schema.ts';
import { RecurveError } from '../../error.ts';
import { makeNull } from './parameter-value.ts';
import { quoteIdentifier } from './quote.ts';
import type { NativeType } from './read/native.ts';
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

/**
 * Arrow files that statements name as tables (`FROM 'dir/x.arrow'`): when DuckDB finds no table of such a name, the file is
 * read into a temporary table of that very name, so the statement runs as it was written. The names are DuckDB's own
 * word, by its error: asking for a statement's table names gives none for joins with USING, parameters, INSERT and views.
 *
 * A table is dropped when its file has changed, before the next statement, and lives as long as the connection at most.
 */
export class ArrowFiles {
  readonly #session: NativeSession;
  readonly #tables = new Map<string, FileState>();
  /** Read or dropped in the open transaction, whose end may undo it. */
  readonly #touched = new Set<string>();

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
        if (name === undefined || !arrowSuffix.test(name) || tried.has(name)) throw error;
        tried.add(name);
        await this.#read(name, error, call);
      }
    }
  }

  /**
   * Drops the tables whose files have changed or gone. Throws INVALID_ARGUMENT when the text names two files that differ in
   * upper and lower case only, which are one table to DuckDB.
   */
  async refresh(sql: string, { signal }: DriverCall): Promise<void> {
    for (const [name, state] of this.#tables) {
      const changed = this.#stale.has(name) || !sameState(state, await readState(name));
      if (changed || (await this.#meansOther(sql, name, state))) await this.#drop(name, signal);
    }
  }

  /** The tables made in a transaction may be gone, those dropped in it be back: they are read anew. */
  transactionEnded(): void {
    for (const name of this.#touched) this.#stale.add(name);
    this.#touched.clear();
  }

  readonly #stale = new Set<string>();

  async #meansOther(sql: string, name: string, state: FileState): Promise<boolean> {
    const pattern = new RegExp(name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "''?"), 'gi');
    const spellings = new Set(sql.match(pattern)?.map((spelling) => spelling.replaceAll("''", "'")));
    for (const spelling of spellings) {
      if (spelling === name) continue;
      const other = await readState(spelling);
      if (other === undefined || (other.inode === state.inode && other.device === state.device)) continue;
      if (!spellings.has(name)) return true;
      throw new RecurveError('INVALID_ARGUMENT', `the files ${name} and ${spelling} are one table name to DuckDB`, {
        hint: 'name one of them by its absolute path',
      });
    }
    return false;
  }

  async #drop(name: string, signal: AbortSignal): Promise<void> {
    await this.#session.query(`DROP TABLE IF EXISTS temp.main.${quoteIdentifier(name)}`, signal);
    this.#tables.delete(name);
    this.#stale.delete(name);
    if (this.#session.inTransaction) this.#touched.add(name);
  }

  async #read(name: string, cause: unknown, call: DriverCall): Promise<void> {
    const state = await readState(name);
    if (state === undefined) {
      const pattern = /[*?[\]]/.test(name);
      throw new RecurveError('NOT_FOUND', `there is no table and no file ${JSON.stringify(name)}`, {
        hint: pattern ? 'Arrow files are named one by one: patterns are not expanded' : undefined,
        cause,
      });
    }
    if (this.#session.inTransaction) this.#touched.add(name);
    try {
      await withArrowFile(state.path, call.signal, (schema, batches) => this.#load(name, schema, batches, call));
    } catch (error) {
      // What is left of the table must not be taken for the file.
      await this.#session
        .query(`DROP TABLE IF EXISTS temp.main.${quoteIdentifier(name)}`, never)
        .catch(() => undefined);
      throw named(error, name);
    }
    this.#tables.set(name, state);
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

/** Undefined when there is no such file. */
async function readState(name: string): Promise<FileState | undefined> {
  const path = resolve(name);
  try {
    const stats = await stat(path, { bigint: true });
    if (!stats.isFile()) return undefined;
    return { path, device: stats.dev, inode: stats.ino, size: stats.size, mtimeNs: stats.mtimeNs };
  } catch {
    return undefined;
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
function named(error: unknown, name: string): unknown {
  if (!RecurveError.is(error)) return error;
  const { status, message, hint, details, exitCode } = error;
  return new RecurveError(status, `${name}: ${message}`, { hint, details, exitCode, cause: error });
}
