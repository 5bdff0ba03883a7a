import {
  childFields,
  type Field,
  type Metadata,
  RecurveError,
  type Table,
  tableFromIPC,
  typeToString,
  type ValidationLevel,
} from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { hexOf, tableValues } from '../arrow/ipc/column-value.ts';

/** How bytes read: a digest of all that they hold, or the error. Equal outcomes on two platforms: they read alike. */
export type Outcome = { readonly digest: string } | { readonly error: string };

/** Reads bytes in memory. */
export async function readOutcome(bytes: Uint8Array, validate: ValidationLevel): Promise<Outcome> {
  const codecs = await loadCodecs();
  return outcomeOf(async () => tableFromIPC(bytes, { validate, codecs }));
}

/** What a way to read ends in. Throws what is no {@link RecurveError}. */
export async function outcomeOf(read: () => Promise<Table>): Promise<Outcome> {
  try {
    return { digest: await digestTable(await read()) };
  } catch (error) {
    if (!RecurveError.is(error)) throw error;
    return { error: `${error.status}: ${error.message}` };
  }
}

/** SHA-256 of schema, metadata of schema, fields and batches, every value and every row, as hex. */
async function digestTable(table: Table): Promise<string> {
  const text = JSON.stringify(
    {
      fields: table.schema.fields.map(describeField),
      metadata: [table.schema.metadata, ...table.batches.map((batch) => batch.metadata)].map(describeMetadata),
      numRows: table.batches.map((batch) => batch.numRows),
      values: tableValues(table),
      rows: table.toArray(),
    },
    plain,
  );
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

function describeField(field: Field): unknown {
  const { name, type, nullable, metadata } = field;
  const children = childFields(type.kind === 'dictionary' ? type.value : type).map(describeField);
  return [name, typeToString(type), nullable, describeMetadata(metadata), children];
}

function describeMetadata(metadata: Metadata): unknown {
  const pairs: string[][] = [];
  metadata.forEachBytes((key, value) => pairs.push([hexOf(key), hexOf(value)]));
  return pairs;
}

/** What JSON has no form for, told apart. */
function plain(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'number')
    return Number.isFinite(value) && !Object.is(value, -0) ? value : `${1 / value} ${value}`;
  if (ArrayBuffer.isView(value)) return [value.constructor.name, ...(value as Uint8Array)];
  return value;
}
