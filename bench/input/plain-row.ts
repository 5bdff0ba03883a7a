import { Digest } from '../harness/digest.ts';

/** A row of the stream that `makeStream` makes. */
export type PlainRow = {
  readonly id: number;
  readonly value: number;
  readonly name: string;
};

/** Rows of which every property has been read: `sum` is there so that no compiler can leave the reading out. */
export interface ReadRows {
  readonly rows: readonly PlainRow[];
  readonly sum: number;
}

/**
 * A row of the last result: when no object of a shape is alive at a collection, V8 drops the code that was compiled for
 * it, and the next measurement would begin with the interpreter, which no program with rows in use would see.
 */
const kept: { row: PlainRow | undefined } = { row: undefined };

export function readEveryProperty(rows: readonly PlainRow[]): ReadRows {
  kept.row = rows[0];
  let sum = 0;
  for (const row of rows) sum += row.id + row.value + row.name.length;
  return { rows, sum };
}

export function digestRows({ rows }: ReadRows): string {
  const digest = new Digest();
  const columns = [rows.map(({ id }) => id), rows.map(({ value }) => value), rows.map(({ name }) => name)];
  digest.add(columns, rows.length);
  return digest.toString();
}

/** Adds a number, or the length of a text: cheap, and wrong as soon as one value is. */
export function addValue(sum: number, value: unknown): number {
  return sum + (typeof value === 'number' ? value : (value as string).length);
}
