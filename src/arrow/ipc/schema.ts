import { RecurveError } from '../../error.ts';
import type { FlatbufferReader } from '../flatbuffer/reader.ts';
import type { Slot, TableSlots } from '../flatbuffer/writer.ts';
import { Metadata, type MetadataEntry } from '../metadata.ts';
import { Field, Schema } from '../schema.ts';
import { childFields, type DataType, type DictionaryType, type IntType } from '../type.ts';
import { intSlots, readInt, readType, writeType } from './type.ts';

/** Levels of nested fields that are read: what Arrow C++ reads too. Bounds the recursion of every later step. */
const maxDepth = 64;

/** Whether the bodies of a schema's batches are big-endian. As in Arrow C++, whatever is not little (0) is big. */
export function readEndianness(flatbuffer: FlatbufferReader, table: number): boolean {
  return flatbuffer.int16(table, 0) !== 0;
}

/** Reads a `Schema` table. Throws INVALID_DATA, and NOT_IMPLEMENTED for types that are not known. */
export function readSchema(flatbuffer: FlatbufferReader, table: number): Schema {
  return new Schema(readFields(flatbuffer, table, 1, '', 1), readMetadata(flatbuffer, table, 2));
}

/** A `Schema` table. */
export function schemaSlots(schema: Schema): TableSlots {
  return [null, ['tables', schema.fields.map(fieldSlots)], metadataSlot(schema.metadata)];
}

function readFields(flatbuffer: FlatbufferReader, table: number, slot: number, parent: string, depth: number): Field[] {
  const vector = flatbuffer.vector(table, slot, 4);
  if (vector.length > 0 && depth > maxDepth) flatbuffer.fail(`fields are nested more than ${maxDepth} deep`);
  const fields: Field[] = [];
  for (let i = 0; i < vector.length; i++)
    fields.push(readField(flatbuffer, flatbuffer.tableAt(vector, i), parent, depth));
  return fields;
}

function readField(flatbuffer: FlatbufferReader, table: number, parent: string, depth: number): Field {
  const name = flatbuffer.string(table, 0) ?? '';
  const path = `${parent}${parent === '' ? '' : '.'}${JSON.stringify(name)}`;
  const children = readFields(flatbuffer, table, 5, path, depth + 1);
  const typeTable = flatbuffer.table(table, 3);
  const stored = readType(flatbuffer, flatbuffer.uint8(table, 2), typeTable, children, path);
  const encoding = flatbuffer.table(table, 4);
  const type = encoding === 0 ? stored : readEncoding(flatbuffer, encoding, stored, path);
  return new Field(name, type, { nullable: flatbuffer.bool(table, 1), metadata: readMetadata(flatbuffer, table, 6) });
}

function readEncoding(flatbuffer: FlatbufferReader, table: number, value: DataType, path: string): DictionaryType {
  const kind = flatbuffer.int16(table, 3);
  if (kind !== 0) {
    throw new RecurveError(
      'NOT_IMPLEMENTED',
      `${flatbuffer.place}: dictionary kind ${kind} of column ${path} is not supported`,
    );
  }
  const index = flatbuffer.table(table, 1);
  return {
    kind: 'dictionary',
    id: flatbuffer.bigint64(table, 0),
    index: index === 0 ? { kind: 'int', bitWidth: 32, signed: true } : readInt(flatbuffer, index, path),
    value,
    ordered: flatbuffer.bool(table, 2),
  };
}

/** Refuses what has no form in a `Field` table: a dictionary of a dictionary would need a field of its own. */
function fieldSlots(field: Field): TableSlots {
  const { type } = field;
  const stored = type.kind === 'dictionary' ? type.value : type;
  if (stored.kind === 'dictionary') {
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `column ${JSON.stringify(field.name)}: the values of a dictionary cannot be a dictionary`,
    );
  }
  const { id, table } = writeType(stored);
  return [
    ['string', field.name],
    field.nullable ? ['int8', 1] : null,
    ['int8', id],
    ['table', table],
    type.kind === 'dictionary' ? ['table', encodingSlots(type.id, type.index, type.ordered)] : null,
    ['tables', childFields(stored).map(fieldSlots)],
    metadataSlot(field.metadata),
  ];
}

function encodingSlots(id: bigint, index: IntType, ordered: boolean): TableSlots {
  return [['int64', id], ['table', intSlots(index)], ordered ? ['int8', 1] : null];
}

/** Reads a `custom_metadata` vector: order, repeated keys and every byte are kept. */
export function readMetadata(flatbuffer: FlatbufferReader, table: number, slot: number): Metadata {
  const vector = flatbuffer.vector(table, slot, 4);
  if (vector.length === 0) return Metadata.empty;
  const entries: MetadataEntry[] = [];
  for (let i = 0; i < vector.length; i++) {
    const entry = flatbuffer.tableAt(vector, i);
    entries.push([flatbuffer.bytes(entry, 0) ?? '', flatbuffer.bytes(entry, 1) ?? '']);
  }
  return new Metadata(entries);
}

/** A `custom_metadata` vector; absent when there is none. */
export function metadataSlot(metadata: Metadata): Slot {
  if (metadata.size === 0) return null;
  const entries: TableSlots[] = [];
  metadata.forEachBytes((key, value) => {
    entries.push([
      ['string', key],
      ['string', value],
    ]);
  });
  return ['tables', entries];
}
