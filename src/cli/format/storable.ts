import { extensionOf } from '../../arrow/extension.ts';
import type { Field, Schema } from '../../arrow/schema.ts';
import { childFields, type DataType, typeToString } from '../../arrow/type.ts';
import { RecurveError } from '../../error.ts';

/** Why Parquet, as DuckDB writes it, cannot give back the values of a type; undefined when it can. */
function parquetObstacle({ kind }: DataType): string | undefined {
  if (kind === 'union') return 'Parquet has no unions';
  if (kind === 'interval') return 'an interval of Parquet counts whole milliseconds';
  if (kind === 'duration') return 'Parquet has no durations';
  return undefined;
}

/** The extension types that come back from Parquet. */
const parquetExtensions = new Set(['arrow.uuid', 'arrow.json']);

/**
 * Throws NOT_IMPLEMENTED, naming the column, when a format would lose values or names of a schema: for Parquet a type that
 * it has no form for, and names that DuckDB takes for one; for CSV a table without columns.
 */
export function checkStorable(schema: Schema, format: string): void {
  if (format === 'parquet') {
    for (const field of schema.fields) checkParquet(field, JSON.stringify(field.name));
    checkNames(schema);
  }
  if ((format === 'parquet' || format === 'csv' || format === 'tsv') && schema.fields.length === 0) {
    throw new RecurveError('NOT_IMPLEMENTED', `${format} cannot hold a table without columns`);
  }
}

function checkParquet({ type }: Field, path: string): void {
  const obstacle = parquetObstacle(type);
  if (obstacle !== undefined) {
    throw new RecurveError('NOT_IMPLEMENTED', `column ${path} is ${typeToString(type)}: ${obstacle}`, {
      hint: 'write an Arrow file, or cast the column by recurve query',
    });
  }
  for (const child of childFields(type)) checkParquet(child, `${path}.${JSON.stringify(child.name)}`);
  if (type.kind === 'dictionary') {
    for (const child of childFields(type.value)) checkParquet(child, `${path}.${JSON.stringify(child.name)}`);
  }
}

function checkNames(schema: Schema): void {
  const taken = new Map<string, string>();
  for (const name of schema.names) {
    const other = taken.get(name.toLowerCase());
    const hint = 'rename it by recurve query';
    if (name === '') throw new RecurveError('NOT_IMPLEMENTED', 'a column has no name, which Parquet needs', { hint });
    if (other !== undefined) {
      const pair = `${JSON.stringify(name)} and ${JSON.stringify(other)}`;
      throw new RecurveError('NOT_IMPLEMENTED', `the columns ${pair} are one name to DuckDB, which writes Parquet`, {
        hint,
      });
    }
    taken.set(name.toLowerCase(), name);
  }
}

/** What a format leaves out of a schema though it keeps the values, in words for people. */
export function leftOut(schema: Schema, format: string): string[] {
  if (format === 'arrow' || format === 'arrows') return [];
  const left = schema.metadata.size === 0 ? [] : [`the schema's metadata (${count(schema.metadata.size)})`];
  if (format !== 'parquet') return left;
  for (const field of schema.fields) {
    const extension = extensionOf(field)?.name;
    if (extension !== undefined && !parquetExtensions.has(extension)) {
      left.push(`the extension type ${extension} of column ${JSON.stringify(field.name)}`);
    }
  }
  return left;
}

/** E.g. `1 entry`, `3 entries`. */
export function count(entries: number): string {
  return `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
}
