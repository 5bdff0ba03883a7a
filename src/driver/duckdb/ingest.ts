import type { DriverCall, IngestRequest } from '../../adbc/spi.ts';
import type { RecordBatch } from '../../arrow/batch.ts';
import { Field, Schema } from '../../arrow/schema.ts';
import { RecurveError } from '../../error.ts';
import { quoteIdentifier } from './quote.ts';
import type { NativeType } from './read/native.ts';
import { readText } from './scalar.ts';
import type { NativeSession } from './session.ts';
import { BatchAppender } from './write/append.ts';
import { isAssignable } from './write/assignment.ts';
import {
  clash,
  findRelation,
  type Place,
  quotePlace,
  readTargetColumns,
  resolvePlace,
  type TargetColumn,
} from './write/ingest-target.ts';
import { toNativeType } from './write/type.ts';
import { writeTypeText } from './write/type-text.ts';

const never = new AbortController().signal;
/** Where rows wait that DuckDB has yet to convert or to complete. */
const staging: Place = { catalog: 'temp', dbSchema: 'main', tableName: 'recurve ingest' };

/**
 * Writes batches to a table through the appender, a data chunk at a time, in one transaction. DuckDB has no savepoints: when
 * it fails inside of a transaction that was open before, that one is aborted, as by any statement that fails.
 */
export async function ingest(session: NativeSession, request: IngestRequest, { signal }: DriverCall): Promise<number> {
  const work = new Ingest(session, request, signal);
  if (session.inTransaction) {
    try {
      return await work.run();
    } catch (error) {
      if (work.written) await session.query("SELECT error('an ingest failed')", never).catch(() => undefined);
      throw error;
    }
  }
  try {
    // An abort may be told although the transaction has begun.
    await session.query('BEGIN TRANSACTION', signal);
    const rows = await work.run();
    await session.query('COMMIT', signal);
    return rows;
  } catch (error) {
    // There is none to roll back when it was the begin or the commit that failed.
    await session.query('ROLLBACK', never).catch(() => undefined);
    throw error;
  }
}

class Ingest {
  readonly #session: NativeSession;
  readonly #request: IngestRequest;
  readonly #signal: AbortSignal;
  /** Whether the transaction holds something that must not be committed should the rest fail. */
  written = false;

  constructor(session: NativeSession, request: IngestRequest, signal: AbortSignal) {
    this.#session = session;
    this.#request = request;
    this.#signal = signal;
  }

  async run(): Promise<number> {
    const session = this.#session;
    const { mode, schema, table, temporary } = this.#request;
    checkNames(schema);
    const place = await resolvePlace(session, table, temporary, this.#signal);
    const kind = await findRelation(session, place, this.#signal);
    const name = JSON.stringify(place.tableName);
    if (kind !== undefined && mode === 'create') {
      throw new RecurveError('ALREADY_EXISTS', `there is a ${kind} ${name} already`, {
        hint: 'append to it or replace it with the mode',
      });
    }
    if (kind === 'view') throw new RecurveError('INVALID_ARGUMENT', `${name} is a view, which holds no rows`);
    if (kind === undefined && (mode === 'append' || mode === 'upsert')) {
      throw new RecurveError('NOT_FOUND', `there is no table ${name} in ${place.catalog}.${place.dbSchema}`, {
        hint: 'the modes create and createAppend make it',
      });
    }
    if (kind !== undefined && mode !== 'replace') return this.#append(place);
    const types = nativeTypes(session, schema);
    this.written = true;
    if (kind !== undefined) await session.query(`DROP TABLE ${quotePlace(place)}`, this.#signal);
    await this.#create(place, schema, types);
    const required = schema.fields.map((field) => !field.nullable);
    return this.#load(place, schema, types, required);
  }

  async #create(place: Place, schema: Schema, types: readonly NativeType[]): Promise<void> {
    const { binding } = this.#session;
    const columns = schema.fields.map((field, i) => {
      const type = types[i];
      const text = type === undefined ? '' : writeTypeText(binding, type);
      return `${quoteIdentifier(field.name)} ${text}${field.nullable ? '' : ' NOT NULL'}`;
    });
    await this.#session.query(
      `CREATE ${place.catalog === 'temp' ? 'TEMPORARY ' : ''}TABLE ${quotePlace(place)} (${columns.join(', ')})`,
      this.#signal,
    );
  }

  /** Straight into the table where the columns are the same, through a temporary table otherwise. */
  async #append(place: Place): Promise<number> {
    const session = this.#session;
    const { binding } = session;
    const { schema } = this.#request;
    const columns = await readTargetColumns(session, place, this.#signal);
    const types = nativeTypes(session, schema);
    const targets = matchColumns(place, schema, columns);
    const same = targets.map((target, i) => {
      const type = types[i];
      const field = schema.fields[i];
      if (type === undefined || field === undefined) return false;
      const [from, to] = [writeTypeText(binding, type), writeTypeText(binding, target.type)];
      if (from === to) return true;
      if (field.type.kind !== 'null' && !isAssignable(binding, type, target.type)) {
        throw clash(
          place,
          `column ${JSON.stringify(target.name)} is ${to}, the data's ${from}`,
          'cast one of them first',
        );
      }
      return false;
    });
    const required = targets.map((target) => target.required);
    this.written = true;
    const inOrder = targets.length === columns.length && targets.every((target, i) => target === columns[i]);
    // With generated columns, which the appender leaves out, all of the names are not in the data.
    if (inOrder && same.every(Boolean) && this.#request.mode !== 'upsert') {
      return this.#load(
        place,
        schema,
        targets.map((target) => target.type),
        required,
      );
    }
    return this.#appendThroughStaging(place, { targets, types, same, required });
  }

  async #appendThroughStaging(place: Place, { targets, types, same, required }: Matched): Promise<number> {
    const session = this.#session;
    const { schema } = this.#request;
    const names = schema.fields.map((_, i) => `c${i}`);
    const staged = new Schema(schema.fields.map((field, i) => field.withName(names[i] ?? '')));
    const signal = this.#signal;
    await this.#create(staging, new Schema(staged.fields.map((field) => asNullable(field))), types);
    const rows = await this.#load(staging, schema, types, required);
    for (const [i, target] of targets.entries()) if (same[i] !== true) await this.#checkCast(`c${i}`, target);
    const list = targets.map((target) => quoteIdentifier(target.name)).join(', ');
    const values = schema.fields.map((field, i) => (field.type.kind === 'null' ? 'NULL' : `c${i}`)).join(', ');
    await session.query(
      `INSERT INTO ${quotePlace(place)} (${list}) SELECT ${values} FROM ${quotePlace(staging)}${this.#onConflict(targets)}`,
      signal,
    );
    await session.query(`DROP TABLE ${quotePlace(staging)}`, signal);
    return rows;
  }

  /** What an upsert does with the rows that are there. */
  #onConflict(targets: readonly TargetColumn[]): string {
    const { mode, keys = [] } = this.#request;
    if (mode !== 'upsert') return '';
    const isKey = (name: string): boolean => keys.some((key) => key.toLowerCase() === name.toLowerCase());
    const names = targets.filter(({ name }) => !isKey(name)).map(({ name }) => quoteIdentifier(name));
    const action =
      names.length === 0 ? 'NOTHING' : `UPDATE SET ${names.map((name) => `${name} = EXCLUDED.${name}`).join(', ')}`;
    return ` ON CONFLICT (${keys.map(quoteIdentifier).join(', ')}) DO ${action}`;
  }

  /** Asked before the rows are inserted: a failure there would not say in which row. */
  async #checkCast(column: string, { name, type }: TargetColumn): Promise<void> {
    const text = writeTypeText(this.#session.binding, type);
    const from = quotePlace(staging);
    // Rows that are not committed yet are counted from far above 0.
    const sql = `SELECT (rowid - (SELECT min(rowid) FROM ${from}) + 1) || ': ' || left(${column}::VARCHAR, 60) FROM ${from} WHERE ${column} IS NOT NULL AND TRY_CAST(${column} AS ${text}) IS NULL ORDER BY rowid LIMIT 1`;
    const found = await readText(this.#session, sql, this.#signal);
    if (found === undefined) return;
    throw new RecurveError('INVALID_DATA', `column ${JSON.stringify(name)}, row ${found} is no ${text}`);
  }

  async #load(
    place: Place,
    schema: Schema,
    types: readonly NativeType[],
    required: readonly boolean[],
  ): Promise<number> {
    const { binding, connection } = this.#session;
    const { catalog, dbSchema, tableName } = place;
    const appender = new BatchAppender(
      binding,
      binding.appender_create_ext(connection, catalog, dbSchema, tableName),
      types,
    );
    try {
      for await (const batch of this.#request.batches) {
        checkRequired(batch, schema, required, appender.rowCount);
        await appender.append(schema, batch, this.#signal);
      }
      this.#signal.throwIfAborted();
      appender.finish();
      return appender.rowCount;
    } catch (error) {
      appender.discard();
      throw error;
    }
  }
}

/** The columns of the data against those of the table, by position in the data. */
interface Matched {
  readonly targets: readonly TargetColumn[];
  /** Of the data. */
  readonly types: readonly NativeType[];
  /** Whether both have the same type. */
  readonly same: readonly boolean[];
  readonly required: readonly boolean[];
}

function nativeTypes({ binding }: NativeSession, schema: Schema): NativeType[] {
  return schema.fields.map((field) => toNativeType(binding, field, JSON.stringify(field.name)));
}

function asNullable(field: Field): Field {
  return new Field(field.name, field.type, { metadata: field.metadata });
}

/** Throws INVALID_ARGUMENT for names that no table can have. */
function checkNames({ fields }: Schema): void {
  if (fields.length === 0) throw new RecurveError('INVALID_ARGUMENT', 'the data has no columns, and DuckDB needs one');
  const seen = new Set<string>();
  fields.forEach(({ name }, i) => {
    if (name === '') throw new RecurveError('INVALID_ARGUMENT', `column ${i + 1} of the data has no name`);
    if (seen.has(name.toLowerCase())) {
      throw new RecurveError('INVALID_ARGUMENT', `the data has two columns ${JSON.stringify(name)}`, {
        hint: 'upper and lower case are one name to DuckDB',
      });
    }
    seen.add(name.toLowerCase());
  });
}

/** The table's column for each one of the data, by name. Throws a clash for one that is missing on either side. */
function matchColumns(place: Place, { fields }: Schema, columns: readonly TargetColumn[]): TargetColumn[] {
  const byName = new Map(columns.map((column) => [column.name.toLowerCase(), column]));
  const targets = fields.map(({ name }) => {
    const target = byName.get(name.toLowerCase());
    if (target !== undefined) return target;
    throw clash(
      place,
      `it has no ${JSON.stringify(name)}`,
      `it has: ${columns.map((column) => column.name).join(', ')}`,
    );
  });
  for (const column of columns) {
    if (!column.required || column.hasDefault || targets.includes(column)) continue;
    throw clash(place, `the data lacks ${JSON.stringify(column.name)}, which is NOT NULL and has no default`);
  }
  return targets;
}

function checkRequired(batch: RecordBatch, schema: Schema, required: readonly boolean[], rowsBefore: number): void {
  for (const [i, column] of batch.columns.entries()) {
    if (required[i] !== true || column.nullCount === 0) continue;
    let row = 0;
    while (row < column.length && column.isValid(row)) row++;
    if (row === column.length) continue;
    const name = JSON.stringify(schema.fields[i]?.name);
    throw new RecurveError('INTEGRITY', `column ${name}, row ${rowsBefore + row + 1}: null in a NOT NULL column`);
  }
}
