import type { Column } from './column.ts';
import { rowNames } from './row-name.ts';
import type { Field } from './schema.ts';

/** Makes rows `0` up to `length` of the arrays in `columns` and writes them into `out` from place `place` on. */
export type RowMaker = (
  out: unknown[],
  place: number,
  length: number,
  columns: ReadonlyArray<ArrayLike<unknown>>,
) => void;

const makers = new WeakMap<readonly Field[], RowMaker>();

/**
 * A maker of rows for these fields, kept as long as the fields are. Where code may be generated it is an object literal,
 * which gives every row one hidden class; under a content-security policy without `unsafe-eval` the same objects are
 * filled property by property.
 */
export function rowMaker(fields: readonly Field[]): RowMaker {
  let maker = makers.get(fields);
  if (maker === undefined) {
    maker = makeMaker(rowNames(fields));
    makers.set(fields, maker);
  }
  return maker;
}

function makeMaker(names: readonly string[]): RowMaker {
  try {
    return compile(names);
  } catch {
    return fillByName(names);
  }
}

/** Properties that are added one by one: with more of them the engine would keep an object as a hash table. */
const maxAdded = 12;

function fillByName(names: readonly string[]): RowMaker {
  // In a copy of an object that has all properties, `__proto__` is an ordinary one too.
  const isCopied = names.length > maxAdded || names.includes('__proto__');
  const start = isCopied ? JSON.parse(`{${names.map((name) => `${JSON.stringify(name)}:null`)}}`) : null;
  return (out, place, length, columns) => {
    for (let i = 0; i < length; i++) out[place + i] = start === null ? {} : { ...start };
    // Column by column: the engine stores under a name that stays the same several times as fast.
    names.forEach((name, c) => {
      const values = columns[c] ?? [];
      for (let i = 0; i < length; i++) (out[place + i] as Record<string, unknown>)[name] = values[i];
    });
  };
}

function compile(names: readonly string[]): RowMaker {
  // A computed key makes `__proto__` an ordinary property; for all others it would be slower than a plain one.
  const key = (name: string): string => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name));
  const properties = names.map((name, c) => `${key(name)}: c${c}[i]`);
  const parameters = names.map((_, c) => `c${c}`);
  const body = `const [${parameters}] = columns;
    for (let i = 0; i < length; i++) out[place + i] = { ${properties} };`;
  return new Function('out', 'place', 'length', 'columns', body) as RowMaker;
}

/** Reads a column's values a block at a time; an array that it gives is good until the next call. */
export type BlockReader = (start: number, end: number) => ArrayLike<unknown>;

/** The values as `at` gives them. */
export function blockReader(column: Column): BlockReader {
  if (column.view !== null) return (start, end) => column.toArray(start, end);
  const scratch: unknown[] = [];
  return (start, end) => {
    column.copyTo(scratch, 0, start, end);
    return scratch;
  };
}

/** Rows that are made in one go: bounds the arrays that a large batch would need for all its columns at once. */
export const rowsPerBlock = 4096;

/** Writes rows `start` up to `end` of what `readers` read into `out` from place `place` on. */
export function fillRows(
  out: unknown[],
  place: number,
  fields: readonly Field[],
  readers: readonly BlockReader[],
  start: number,
  end: number,
): void {
  const make = rowMaker(fields);
  for (let first = start; first < end; first += rowsPerBlock) {
    const last = Math.min(end, first + rowsPerBlock);
    make(
      out,
      place + first - start,
      last - first,
      readers.map((read) => read(first, last)),
    );
  }
}
