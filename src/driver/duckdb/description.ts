import type { Parameters } from '../../adbc/parameter.ts';
import type { DriverCall, DriverStatementDescription } from '../../adbc/spi.ts';
import { Field, Schema } from '../../arrow/schema.ts';
import { RecurveError } from '../../error.ts';
import { isReading } from './access.ts';
import type { ArrowFiles } from './arrow-file.ts';
import type { Binding } from './binding.ts';
import { CatalogReader } from './metadata/catalog.ts';
import { type PreparedText, prepareText } from './preparation.ts';
import { quoteIdentifier } from './quote.ts';
import type { NativePrepared, NativeType } from './read/native.ts';
import type { NativeSession } from './session.ts';
import { readTimezone } from './timezone.ts';
import { makeField, type TypeContext } from './type.ts';
import { someType } from './type-search.ts';

/** What DuckDB says of a statement without running it. It is asked anew each time: the catalog may have changed. */
export class DuckdbStatementDescription implements DriverStatementDescription {
  readonly #session: NativeSession;
  readonly #text: PreparedText;
  readonly #files: ArrowFiles;

  constructor(session: NativeSession, text: PreparedText, files: ArrowFiles) {
    this.#session = session;
    this.#text = text;
    this.#files = files;
  }

  get isReadOnly(): boolean {
    return isReading(this.#session.binding, this.#text.prepared, this.#text.sql);
  }

  getSchema(parameters: Parameters, call: DriverCall): Promise<Schema> {
    const { sql } = this.#text;
    return this.#withPrepared(sql, call, ({ prepared, parameterNames }) => {
      const { binding } = this.#session;
      if (returnsNothing(binding, prepared, sql)) return new Schema([]);
      if (columnsAreKnown(binding, prepared)) return readPreparedSchema(this.#session, prepared, call);
      return this.#describe(parameterNames, parameters, call);
    });
  }

  getParameterSchema(call: DriverCall): Promise<Schema> {
    return this.#withPrepared(this.#text.sql, call, ({ prepared, parameterNames }) => {
      const { binding } = this.#session;
      const context: TypeContext = { binding, timezone: 'UTC', nextDictionaryId: 0n };
      return new Schema(
        parameterNames.map((given, i) => {
          const name = /^\d+$/.test(given) ? '' : given;
          const type = parameterType(binding, prepared, i + 1);
          return type === undefined ? new Field(name, { kind: 'null' }) : makeField(context, name, type);
        }),
      );
    });
  }

  /** Types that depend on parameters: by DESCRIBE, which binds and plans, but does not run. */
  async #describe(names: readonly string[], parameters: Parameters, call: DriverCall): Promise<Schema> {
    if (Object.keys(parameters).length === 0 || !this.isReadOnly) {
      throw new RecurveError(
        'INVALID_STATE',
        `what the statement returns depends on its ${names.length} parameters (${names.map((name) => `$${name}`).join(', ')})`,
        { hint: 'bind parameters first, or cast them in the statement, e.g. $1::INTEGER' },
      );
    }
    const reader = new CatalogReader(this.#session, this.#files);
    const columns = await reader.query(`DESCRIBE ${this.#text.sql}`, parameters, call);
    const types = columns.column('column_type');
    const list = Array.from(columns.column('column_name'), (name, i) => {
      return `NULL::${types.at(i)} AS ${quoteIdentifier(String(name))}`;
    });
    return this.#withPrepared(`SELECT ${list.join(', ')}`, call, ({ prepared }) =>
      readPreparedSchema(this.#session, prepared, call),
    );
  }

  async #withPrepared<T>(sql: string, call: DriverCall, work: (text: PreparedText) => Promise<T> | T): Promise<T> {
    const text = await prepareText(this.#session, this.#files, sql, { call, script: false });
    try {
      return await work(text);
    } finally {
      this.#session.release(text.prepared);
    }
  }
}

/** The schema of a prepared statement's result, whose columns are known. */
export async function readPreparedSchema(
  session: NativeSession,
  prepared: NativePrepared,
  { signal }: DriverCall,
): Promise<Schema> {
  const { binding } = session;
  const timezone = await readTimezone(session, prepared, signal);
  const context: TypeContext = { binding, timezone, nextDictionaryId: 0n };
  const count = binding.prepared_statement_column_count(prepared);
  return new Schema(
    Array.from({ length: count }, (_, i) =>
      makeField(
        context,
        binding.prepared_statement_column_name(prepared, i),
        binding.prepared_statement_column_logical_type(prepared, i),
      ),
    ),
  );
}

/** Whether a statement gives a count or its success, which are no result, under the names that DuckDB has for them. */
function returnsNothing(binding: Binding, prepared: NativePrepared, sql: string): boolean {
  const { StatementType, Type } = binding;
  if (binding.prepared_statement_column_count(prepared) !== 1) return false;
  const type = binding.prepared_statement_type(prepared);
  const { SELECT, EXPLAIN, CALL, PRAGMA } = StatementType;
  const returning: readonly number[] = [SELECT, EXPLAIN, CALL, PRAGMA];
  if (returning.includes(type)) return false;
  const name = binding.prepared_statement_column_name(prepared, 0);
  const column = binding.prepared_statement_column_type(prepared, 0);
  if (name === 'Success') return column === Type.BOOLEAN;
  // A RETURNING of one BIGINT that is called Count could not be told from it but for the word.
  return name === 'Count' && column === Type.BIGINT && !/\breturning\b/i.test(sql);
}

function columnsAreKnown(binding: Binding, prepared: NativePrepared): boolean {
  const count = binding.prepared_statement_column_count(prepared);
  for (let i = 0; i < count; i++) {
    const type = binding.prepared_statement_column_logical_type(prepared, i);
    if (someType(binding, type, (id) => isUnknown(binding, id))) return false;
  }
  return count > 0;
}

function isUnknown({ Type }: Binding, type: number): boolean {
  return type === Type.INVALID || type === Type.ANY;
}

/** Undefined where DuckDB does not know it before the value is there. */
function parameterType(binding: Binding, prepared: NativePrepared, index: number): NativeType | undefined {
  try {
    const type = binding.param_logical_type(prepared, index);
    return someType(binding, type, (id) => isUnknown(binding, id)) ? undefined : type;
  } catch {
    return undefined;
  }
}
