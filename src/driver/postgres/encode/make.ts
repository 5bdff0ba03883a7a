import type { Column } from '../../../arrow/column.ts';
import { extensionOf } from '../../../arrow/extension.ts';
import { jsonReader } from '../../../arrow/json.ts';
import { Field } from '../../../arrow/schema.ts';
import type { DataType } from '../../../arrow/type.ts';
import { ArrayWriter, maxDimensions } from './array.ts';
import { BoolWriter } from './bool.ts';
import { BytesWriter, MadeBytesWriter, UuidTextWriter, ViewBytesWriter } from './bytes.ts';
import { type CompositeMember, CompositeWriter } from './composite.ts';
import { isList, isText } from './default-type.ts';
import { ElementFields } from './elements.ts';
import type { FieldWriter } from './field-writer.ts';
import { FloatWriter } from './float.ts';
import { HstoreWriter } from './hstore.ts';
import { DictionaryWriter, RunWriter } from './indirect.ts';
import { type IntegerTarget, IntegerWriter } from './integer.ts';
import { MultirangeWriter } from './multirange.ts';
import { NullWriter } from './null.ts';
import { isNumericScale, NumericWriter } from './numeric.ts';
import { numericTextReader } from './numeric-text.ts';
import { PointWriter } from './point.ts';
import { RangeWriter, rangeParts } from './range.ts';
import { numericScale, type TargetType } from './target.ts';
import { DateWriter, IntervalWriter, SpanWriter, TimestampWriter } from './temporal.ts';
import { VectorWriter } from './vector.ts';

/**
 * A writer of an Arrow field's values for a PostgreSQL type; undefined where the one does not take the other. It takes it only
 * where each value comes out as the very same or is refused by itself: nothing is rounded, cut or parsed out of text,
 * but for text that is the type's own form (enum, json, uuid, xml).
 */
export function makeWriter(field: Field, target: TargetType): FieldWriter | undefined {
  const { type } = field;
  if (target.kind === 'domain' && target.element !== undefined) return makeWriter(field, target.element);
  if (type.kind === 'null') return new NullWriter();
  if (type.kind === 'dictionary') {
    const values = makeWriter(withType(field, type.value), target);
    return values && new DictionaryWriter(values);
  }
  if (type.kind === 'run-end-encoded') {
    const values = makeWriter(type.values, target);
    return values && new RunWriter(values);
  }
  if (target.kind === 'array') return makeArrayWriter(type, target);
  if (target.kind === 'composite') return makeCompositeWriter(type, target);
  if (target.kind === 'range') return makeRangeWriter(type, target);
  if (target.kind === 'multirange') return makeMultirangeWriter(type, target);
  if (target.kind === 'enum') return isText(type) ? bytesWriter(type) : undefined;
  return target.kind === 'base' ? makeBaseWriter(field, target) : undefined;
}

/** The field with its values' type in place of a dictionary's. */
export function withType(field: Field, type: DataType): Field {
  return new Field(field.name, type, { nullable: field.nullable, metadata: field.metadata });
}

const integers: Readonly<Record<string, IntegerTarget>> = {
  int2: { name: 'int2', byteWidth: 2, signed: true },
  int4: { name: 'int4', byteWidth: 4, signed: true },
  int8: { name: 'int8', byteWidth: 8, signed: true },
  oid: { name: 'oid', byteWidth: 4, signed: false },
  xid: { name: 'xid', byteWidth: 4, signed: false },
  cid: { name: 'cid', byteWidth: 4, signed: false },
  regproc: { name: 'regproc', byteWidth: 4, signed: false },
  regclass: { name: 'regclass', byteWidth: 4, signed: false },
  regtype: { name: 'regtype', byteWidth: 4, signed: false },
  xid8: { name: 'xid8', byteWidth: 8, signed: false },
  pg_lsn: { name: 'pg_lsn', byteWidth: 8, signed: false },
};

const money: IntegerTarget = { name: 'money', byteWidth: 8, signed: true };

/** The key of field metadata that names the type, as results have it. */
const typeKey = 'POSTGRESQL:type';

/** Integers are units of money to SQL; only what was read from such a column counts the smallest coins. */
function isMoney({ type, metadata }: Field): boolean {
  return type.kind === 'int' && type.bitWidth === 64 && type.signed && metadata.get(typeKey) === 'money';
}

/** Version byte of `jsonb`. */
const jsonbVersion = 1;

function makeBaseWriter(field: Field, target: TargetType): FieldWriter | undefined {
  const { type } = field;
  const { name } = target;
  if (isText(type)) return makeTextWriter(field, target);
  if (isBytes(type)) return takesBytes(field, type, name) ? bytesWriter(type) : undefined;
  switch (type.kind) {
    case 'bool':
      return name === 'bool' ? new BoolWriter() : undefined;
    case 'int': {
      const integer = integers[name];
      if (integer !== undefined) return new IntegerWriter(type, integer);
      if (name === 'money') return isMoney(field) ? new IntegerWriter(type, money) : undefined;
      return makeNumberWriter(type, target);
    }
    case 'float':
      return makeNumberWriter(type, target);
    case 'decimal':
      if (name !== 'numeric' || !isNumericScale(type.scale)) return undefined;
      return new NumericWriter(type, numericScale(target));
    case 'date':
      if (name === 'timestamp') return new TimestampWriter(type, name);
      return name === 'date' ? new DateWriter(type) : undefined;
    case 'time':
      return name === 'time' ? new SpanWriter(type) : undefined;
    case 'timestamp':
      return name === 'timestamp' || name === 'timestamptz' ? new TimestampWriter(type, name) : undefined;
    case 'duration':
      return name === 'interval' ? new SpanWriter(type) : undefined;
    case 'interval':
      return name === 'interval' ? new IntervalWriter(type) : undefined;
    case 'map':
      return name === 'hstore' ? makeHstoreWriter(type) : makeJsonWriter(field, name);
    case 'list':
    case 'list-view':
    case 'fixed-size-list':
      if (name === 'vector' && isFloat32(type.child.type)) return new VectorWriter();
      return makeJsonWriter(field, name);
    case 'struct':
      return name === 'point' ? makePointWriter(type) : makeJsonWriter(field, name);
    default:
      return undefined;
  }
}

function makeNumberWriter(
  type: Extract<DataType, { readonly kind: 'int' | 'float' }>,
  target: TargetType,
): FieldWriter | undefined {
  if (target.name === 'numeric') return new NumericWriter(type, numericScale(target));
  if (target.name === 'float8') return new FloatWriter(type, 8);
  return target.name === 'float4' ? new FloatWriter(type, 4) : undefined;
}

/** Types whose binary form is the text itself. */
const textNames: ReadonlySet<string> = new Set(['text', 'varchar', 'bpchar', 'name', 'json', 'xml', 'citext']);

function makeTextWriter({ type, metadata }: Field, target: TargetType): FieldWriter | undefined {
  const { name } = target;
  // The exact text of what a result had no other type for; any other text might not be meant as a number.
  if (name === 'numeric' && metadata.get(typeKey)?.startsWith('numeric') === true) {
    return new MadeBytesWriter(numericTextReader(numericScale(target)));
  }
  if (textNames.has(name)) return bytesWriter(type);
  if (name === 'jsonb') return bytesWriter(type, jsonbVersion);
  if (name === 'char') return new MadeBytesWriter((column) => (row) => charBytes(String(column.at(row))));
  return name === 'uuid' ? new UuidTextWriter() : undefined;
}

/** The byte of a `"char"`, as the server writes it: nothing for 0, three octal digits for one that is no ASCII. */
function charBytes(text: string): Uint8Array {
  const octal = /^\\([0-3][0-7]{2})$/.exec(text)?.[1];
  const byte = octal === undefined ? text.charCodeAt(0) || 0 : Number.parseInt(octal, 8);
  if (octal !== undefined || (text.length <= 1 && byte < 128)) return Uint8Array.of(byte);
  throw new RangeError(`${JSON.stringify(text.slice(0, 60))} is not the one byte that a "char" is`);
}

const encoder = new TextEncoder();

function makeJsonWriter(field: Field, name: string): FieldWriter | undefined {
  if (name !== 'json' && name !== 'jsonb') return undefined;
  const makeReader = (column: Column): ((row: number) => Uint8Array) => {
    const read = jsonReader(field, column);
    return (row) => encoder.encode(read(row));
  };
  return new MadeBytesWriter(makeReader, name === 'jsonb' ? jsonbVersion : -1);
}

function bytesWriter({ kind }: DataType, prefix?: number): FieldWriter {
  return kind === 'utf8-view' || kind === 'binary-view' ? new ViewBytesWriter(prefix) : new BytesWriter(prefix);
}

function isBytes({ kind }: DataType): boolean {
  return kind === 'binary' || kind === 'binary-view' || kind === 'fixed-size-binary';
}

/** Bytes are `bytea`, a UUID, or the binary form of what the field says they are. */
function takesBytes(field: Field, type: DataType, name: string): boolean {
  if (name === 'bytea') return true;
  if (name === 'uuid') return type.kind === 'fixed-size-binary' && type.byteWidth === 16;
  const extension = extensionOf(field);
  if (name === 'geometry' || name === 'geography') return extension?.name === 'geoarrow.wkb';
  return extension?.name === 'arrow.opaque' && opaqueName(extension.metadata) === name;
}

/** The type that an `arrow.opaque` of PostgreSQL stands for. */
function opaqueName(metadata: string): string | undefined {
  try {
    const { type_name: typeName, vendor_name: vendorName } = JSON.parse(metadata);
    return vendorName === 'PostgreSQL' && typeof typeName === 'string' ? typeName : undefined;
  } catch {
    return undefined;
  }
}

function isFloat32(type: DataType): boolean {
  return type.kind === 'float' && type.bitWidth === 32;
}

function makeArrayWriter(type: DataType, { element, name }: TargetType): FieldWriter | undefined {
  // These two have no dimensions to be given.
  if (element === undefined || name === 'int2vector' || name === 'oidvector') return undefined;
  let list = type;
  for (let dimensions = 1; dimensions <= maxDimensions && isList(list); dimensions++) {
    const writer = makeWriter(list.child, element);
    if (writer !== undefined) return new ArrayWriter(element.oid, dimensions, new ElementFields(writer));
    list = list.child.type;
  }
  return undefined;
}

function makeCompositeWriter(type: DataType, { members = [] }: TargetType): FieldWriter | undefined {
  if (type.kind !== 'struct') return undefined;
  const names = members.map((member) => member.name);
  if (type.children.some((child, i) => !names.includes(child.name) || indexOf(type.children, child.name) !== i))
    return undefined;
  const made: CompositeMember[] = [];
  for (const member of members) {
    const child = indexOf(type.children, member.name);
    const field = type.children[child];
    const writer = field === undefined ? new NullWriter() : makeWriter(field, member.type);
    if (writer === undefined) return undefined;
    made.push({ oid: member.type.oid, child: child < 0 ? undefined : child, writer });
  }
  return new CompositeWriter(made);
}

function makeRangeWriter(type: DataType, { element }: TargetType): FieldWriter | undefined {
  if (type.kind !== 'struct' || element === undefined || type.children.length !== rangeParts.length) return undefined;
  const parts = rangeParts.map((name) => indexOf(type.children, name));
  const [lower, upper, ...truths] = parts.map((part) => type.children[part]);
  if (lower === undefined || upper === undefined || truths.some((truth) => truth?.type.kind !== 'bool'))
    return undefined;
  const lowers = makeWriter(lower, element);
  const uppers = makeWriter(upper, element);
  return lowers && uppers && new RangeWriter(parts, lowers, uppers);
}

function makeMultirangeWriter(type: DataType, { element }: TargetType): FieldWriter | undefined {
  const ranges = isList(type) && element !== undefined ? makeWriter(type.child, element) : undefined;
  return ranges && new MultirangeWriter(new ElementFields(ranges));
}

function makePointWriter(type: Extract<DataType, { readonly kind: 'struct' }>): FieldWriter | undefined {
  const [x, y] = [indexOf(type.children, 'x'), indexOf(type.children, 'y')];
  const isPoint = type.children.length === 2 && type.children.every((child) => isFloat64(child.type));
  return isPoint && x >= 0 && y >= 0 ? new PointWriter([x, y]) : undefined;
}

function isFloat64(type: DataType): boolean {
  return type.kind === 'float' && type.bitWidth === 64;
}

function indexOf(fields: readonly Field[], name: string): number {
  return fields.findIndex((field) => field.name === name);
}

function makeHstoreWriter(type: Extract<DataType, { readonly kind: 'map' }>): FieldWriter | undefined {
  const [key, value] = type.child.type.kind === 'struct' ? type.child.type.children : [];
  if (key === undefined || value === undefined || !isText(key.type)) return undefined;
  const text: TargetType = { oid: 25, name: 'text', kind: 'base', typmod: -1, text: 'text' };
  const keys = makeWriter(key, text);
  const values = makeWriter(value, text);
  return keys && values && new HstoreWriter(new ElementFields(keys), new ElementFields(values));
}
