import type { RecordBatch } from '../../../arrow/batch.ts';
import { RecordBatch as Batch } from '../../../arrow/batch.ts';
import { makeBuilder } from '../../../arrow/build/make.ts';
import type { Values } from '../../../arrow/column.ts';
import { concatBatches } from '../../../arrow/concat.ts';
import { RecurveError } from '../../../error.ts';
import type { PostgresSession } from '../session.ts';

/** Asks the catalog; the answer is one batch. Parameters are texts. */
export async function readCatalog(
  session: PostgresSession,
  sql: string,
  parameters: readonly string[],
  signal: AbortSignal,
): Promise<RecordBatch> {
  const encoder = new TextEncoder();
  const sent = parameters.map((text) => ({ oid: 25, format: 1 as const, bytes: encoder.encode(text) }));
  const { batches, schema } = await session.query(sql, sent, signal);
  const [first, ...others] = batches;
  if (first !== undefined) return others.length === 0 ? first : concatBatches(batches);
  return new Batch(
    schema,
    schema.fields.map((field) => makeBuilder(field).finish()),
    0,
  );
}

/** Conditions of a WHERE with their parameters, `$1`, `$2` … in order. */
export class Conditions {
  readonly parameters: string[] = [];
  readonly #conditions: string[] = [];

  /** Asks for a name that matches a pattern: `%`, `_` and no escape. Nothing without a pattern. */
  like(expression: string, pattern: string | undefined): this {
    // A text of PostgreSQL holds no NUL, so that no name matches.
    if (pattern?.includes('\0')) this.#conditions.push('false');
    else if (pattern !== undefined && pattern !== '%') {
      this.#conditions.push(`${expression} LIKE ${this.#next(pattern)} ESCAPE ''`);
    }
    return this;
  }

  /** Asks for one of these values. Nothing without them. */
  among(expression: string, values: readonly string[] | undefined): this {
    if (values === undefined) return this;
    const list = values.filter((value) => !value.includes('\0')).map((value) => this.#next(value));
    this.#conditions.push(list.length === 0 ? 'false' : `${expression} IN (${list.join(', ')})`);
    return this;
  }

  /** Asks for what a condition without parameters says. */
  and(condition: string): this {
    this.#conditions.push(condition);
    return this;
  }

  toString(): string {
    return this.#conditions.length === 0 ? 'true' : this.#conditions.join(' AND ');
  }

  #next(value: string): string {
    return `$${this.parameters.push(value)}`;
  }
}

/** The values of a column of numbers without nulls. */
export function keyOf(batch: RecordBatch, name: string): Values {
  const { view } = batch.column(name);
  if (view === null) throw new RecurveError('INTERNAL', `${name} of the catalog has nulls`);
  return view;
}

/** Where the children of each parent begin, both in the same order; `parentOf` is the parent's key for each child. */
export function findOffsets(parents: Values, parentOf: Values): Int32Array {
  const offsets = new Int32Array(parents.length + 1);
  let at = 0;
  for (let parent = 0; parent < parents.length; parent++) {
    const key = parents[parent];
    while (at < parentOf.length && parentOf[at] === key) at++;
    offsets[parent + 1] = at;
  }
  if (at < parentOf.length)
    throw new RecurveError('INTERNAL', `${parentOf.length - at} objects of the catalog have no parent`);
  return offsets;
}
