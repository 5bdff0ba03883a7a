import { RecordBatch } from '../arrow/batch.ts';
import { makeBuilder } from '../arrow/build/make.ts';
import { UuidColumn } from '../arrow/column/binary.ts';
import { Column } from '../arrow/column.ts';
import { uuidField } from '../arrow/extension.ts';
import { tableToIPC } from '../arrow/ipc/table.ts';
import { Field, Schema } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import { binary, bool, float64, int64, nullType, utf8 } from '../arrow/type-factory.ts';
import { tableFromIPC } from '../arrow/validate/reader.ts';
import { RecurveError } from '../error.ts';
import { describe } from './options.ts';
import type { Parameter, Parameters } from './parameter.ts';

/** A result in pieces, none of which has been asked for yet. */
export interface Partitions {
  readonly schema: Schema;
  /**
   * A descriptor a piece, for `connection.readPartition` of any connection or process that has the same source. Opaque; it
   * holds the statement and its parameters as they are, so guard it as you guard those.
   */
  readonly partitions: readonly Uint8Array[];
  /** −1: nothing has run. */
  readonly rowsAffected: number;
}

/** What a descriptor says: a statement to be run whole. */
export interface PartitionContent {
  /** Of the driver whose statement it is. */
  readonly driverName: string;
  readonly sql: string;
  readonly parameters: Parameters;
}

/** "RCVP", the version, and CRC-32 of the rest, an Arrow IPC stream: one row of parameters, the rest in its schema's metadata. */
const magic = [0x52, 0x43, 0x56, 0x50];
const version = 1;
const headerLength = 9;

const kindKey = 'recurve.parameter';

/** A descriptor of these contents. */
export function writePartition({ driverName, sql, parameters }: PartitionContent): Uint8Array {
  const named = !isList(parameters);
  const parts = Object.entries(parameters).map(([name, value]) => toColumn(name, value));
  const schema = new Schema(
    parts.map((part) => part.field),
    { 'recurve.driver': driverName, 'recurve.sql': sql, 'recurve.named': String(named) },
  );
  const batch = new RecordBatch(
    schema,
    parts.map((part) => part.column),
    1,
  );
  const body = tableToIPC(new Table(schema, [batch]));
  const bytes = new Uint8Array(headerLength + body.length);
  bytes.set(magic);
  bytes[4] = version;
  new DataView(bytes.buffer).setUint32(5, crc32(body), true);
  bytes.set(body, headerLength);
  return bytes;
}

/**
 * What a descriptor says. Throws INVALID_ARGUMENT for bytes that are none, are cut off or changed, are of another version,
 * or of a driver other than `driverName`.
 */
export function readPartition(bytes: Uint8Array, driverName: string): PartitionContent {
  if (!(bytes instanceof Uint8Array)) {
    throw new RecurveError('INVALID_ARGUMENT', `the partition is ${describe(bytes)}, but must be a Uint8Array`);
  }
  if (bytes.length < headerLength || magic.some((byte, i) => bytes[i] !== byte)) {
    throw new RecurveError('INVALID_ARGUMENT', `these ${bytes.length} bytes are no partition of recurve`, {
      hint: 'pass the bytes as executePartitions gave them',
    });
  }
  if (bytes[4] !== version) {
    throw new RecurveError('INVALID_ARGUMENT', `the partition is of version ${bytes[4]}, this is version ${version}`, {
      hint: 'read it with the version of recurve that made it',
    });
  }
  // A copy: its buffers are read in place, and must be aligned.
  const body = bytes.slice(headerLength);
  const expected = new DataView(bytes.buffer, bytes.byteOffset).getUint32(5, true);
  if (crc32(body) !== expected) throw corrupt(`its checksum is not ${expected}`);
  const { metadata, batch } = readBody(body);
  const from = metadata.get('recurve.driver');
  const sql = metadata.get('recurve.sql');
  if (from === undefined || sql === undefined) throw corrupt('it names no driver or statement');
  if (from !== driverName) {
    throw new RecurveError('INVALID_ARGUMENT', `the partition is of driver ${from}, this connection of ${driverName}`);
  }
  const entries = batch.schema.fields.map((field, i) => [field.name, toParameter(field, batch.column(i))] as const);
  const named = metadata.get('recurve.named') === 'true';
  return { driverName, sql, parameters: named ? Object.fromEntries(entries) : entries.map(([, value]) => value) };
}

function readBody(body: Uint8Array): { metadata: ReadonlyMap<string, string>; batch: RecordBatch } {
  let table: Table;
  try {
    table = tableFromIPC(body);
  } catch (cause) {
    throw corrupt('its Arrow stream cannot be read', cause);
  }
  const [batch] = table.batches;
  if (batch === undefined || batch.numRows !== 1) throw corrupt(`it has ${table.numRows} rows of parameters, not 1`);
  return { metadata: new Map(table.schema.metadata), batch };
}

function corrupt(why: string, cause?: unknown): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `the partition is damaged: ${why}`, { cause });
}

/** A parameter as a column of one value; what the column alone does not tell stands in the field's metadata. */
function toColumn(name: string, value: Parameter): { readonly field: Field; readonly column: Column } {
  if (value instanceof Column) {
    const field = value instanceof UuidColumn ? uuidField(name) : new Field(name, value.type);
    const metadata = new Map([...field.metadata, [kindKey, 'column'] as const]);
    return { field: field.withMetadata(metadata), column: value };
  }
  const { kind, type, stored } = toStored(value);
  const field = new Field(name, type, { metadata: { [kindKey]: kind } });
  const builder = makeBuilder(field);
  builder.append(stored);
  return { field, column: builder.finish() };
}

type Stored = Pick<Field, 'type'> & { readonly kind: string; readonly stored: unknown };

function toStored(value: Exclude<Parameter, Column>): Stored {
  switch (typeof value) {
    case 'boolean':
      return { kind: 'boolean', type: bool(), stored: value };
    case 'number':
      return { kind: 'number', type: float64(), stored: value };
    case 'string':
      return { kind: 'string', type: utf8(), stored: value };
    case 'bigint':
      // As text: Arrow has no integer wide enough for all of them.
      return { kind: 'bigint', type: utf8(), stored: String(value) };
  }
  if (value === null || value === undefined) return { kind: 'null', type: nullType(), stored: null };
  if (value instanceof Date) return { kind: 'date', type: int64(), stored: value.getTime() };
  return { kind: 'bytes', type: binary(), stored: value };
}

function toParameter(field: Field, column: Column): Parameter {
  const value = column.at(0);
  switch (field.metadata.get(kindKey)) {
    case 'column':
      return column;
    case 'null':
      return null;
    case 'boolean':
      if (typeof value === 'boolean') return value;
      break;
    case 'number':
      if (typeof value === 'number') return value;
      break;
    case 'string':
      if (typeof value === 'string') return value;
      break;
    case 'bigint':
      if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
      break;
    case 'date':
      if (typeof value === 'bigint') return new Date(Number(value));
      break;
    case 'bytes':
      if (value instanceof Uint8Array) return value;
      break;
  }
  throw corrupt(`parameter ${JSON.stringify(field.name)} has no value`);
}

function isList(parameters: Parameters): parameters is readonly Parameter[] {
  return Array.isArray(parameters);
}

/** CRC-32 of ISO 3309, bit by bit: descriptors are small. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb8_8320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
