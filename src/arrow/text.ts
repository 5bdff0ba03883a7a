import type { BinaryColumn } from './column/binary.ts';
import { hexPair } from './column/binary.ts';
import type { DictionaryColumn } from './column/dictionary.ts';
import type { FixedSizeListColumn, ListColumn, ListViewColumn, MapColumn } from './column/list.ts';
import type { RunEndEncodedColumn } from './column/run-end.ts';
import type { StructColumn } from './column/struct.ts';
import type { UnionColumn } from './column/union.ts';
import type { Column } from './column.ts';
import { rowNames } from './row-name.ts';
import { Field } from './schema.ts';
import { spanReader } from './span.ts';
import { sqlStyle, temporalReader } from './temporal.ts';
import { childFields } from './type.ts';

type AnyList = ListColumn | ListViewColumn | FixedSizeListColumn;

/** Gives the text of the value at an index, or null for a null. One string a call at most for types that are not nested. */
export type TextReader = (index: number) => string | null;

/**
 * Reads a column's values as a person reads them, exactly and in DuckDB's wording: `12.50`, `true`, `NaN`, `Infinity`,
 * `2013-01-31 12:00:00.5`, with a zone in UTC and `+00` behind; `1 year 2 days 00:00:01.5`; bytes as ASCII or `\xHH`;
 * `[1, NULL]`, `{'a': 1}`, `{k=v}`, inside of which text is quoted where it could be misread. Floats are their shortest
 * text that reads back the same.
 */
export function textReader(field: Field, column: Column): TextReader {
  const { type } = field;
  switch (type.kind) {
    case 'utf8':
    case 'utf8-view':
    case 'decimal':
      return (index) => column.at(index) as string | null;
    case 'int':
    case 'float':
      return numberReader(type.kind === 'float' && type.bitWidth === 32, column);
    case 'date':
    case 'time':
    case 'timestamp':
      return temporalReader(type, column, sqlStyle);
    case 'duration':
    case 'interval':
      return spanReader(type, column, false);
    case 'binary':
    case 'binary-view':
    case 'fixed-size-binary':
      return binaryReader(column);
    case 'list':
    case 'list-view':
    case 'fixed-size-list':
      return listReader(childFields(type), column as ListColumn);
    case 'map':
      return mapReader(childFields(type.child.type), column as MapColumn);
    case 'struct':
      return structReader(type.children, column as StructColumn);
    case 'union':
      return unionReader(type.children, column as UnionColumn, textReader);
    case 'run-end-encoded':
      return runReader(type.values, column as RunEndEncodedColumn, textReader);
    case 'dictionary':
      return dictionaryReader(field, column as DictionaryColumn, textReader);
    default:
      return (index) => {
        const value = column.at(index);
        return value === null ? null : String(value);
      };
  }
}

/** Reads integers and floats as their shortest exact text, without a BigInt for those below 2^53. */
export function numberReader(single: boolean, column: Column): TextReader {
  const { values } = column.layout;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) return int64Reader(column, values);
  return (index) => {
    const value = column.at(index) as number | null;
    if (value === null) return null;
    if (value === 0) return 1 / value < 0 ? '-0' : '0';
    return single ? singleText(value) : `${value}`;
  };
}

function int64Reader(column: Column, values: BigInt64Array | BigUint64Array): TextReader {
  const words = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
  const signed = values instanceof BigInt64Array;
  return (index) => {
    if (!column.isValid(index)) return null;
    const high = words[2 * index + 1] ?? 0;
    const value = (signed ? high : high >>> 0) * 0x1_0000_0000 + ((words[2 * index] ?? 0) >>> 0);
    return Number.isSafeInteger(value) ? `${value}` : `${values[index]}`;
  };
}

/** A text that reads back as the same float32: the shortest, or a whole number below 2^53 with all its digits. */
function singleText(value: number): string {
  if (!Number.isFinite(value) || Number.isSafeInteger(value)) return `${value}`;
  // 9 digits are always enough, and 6 never too many but for the subnormal numbers (IEEE 754).
  for (let digits = Math.abs(value) < 2 ** -126 ? 1 : 6; digits < 9; digits++) {
    const shortest = Number(value.toPrecision(digits));
    if (Math.fround(shortest) === value) return `${shortest}`;
  }
  return `${Number(value.toPrecision(9))}`;
}

function binaryReader(column: Column): TextReader {
  return (index) => {
    const value = column.at(index) as Uint8Array | string | null;
    // A string is the text of an extension, such as a UUID's.
    return value === null || typeof value === 'string' ? value : bytesText(value);
  };
}

function bytesText(bytes: ReturnType<BinaryColumn['at']> & Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x27 && byte !== 0x5c;
    text += plain ? String.fromCharCode(byte) : `\\x${hexPair(byte).toUpperCase()}`;
  }
  return text;
}

/** Reads the text of dictionary values, each made once. */
export function dictionaryReader(
  field: Field,
  column: DictionaryColumn,
  reader: (field: Field, column: Column) => TextReader,
): TextReader {
  const { dictionary, indices } = column;
  const read = reader(new Field(field.name, dictionary.type, field), dictionary);
  const known: (string | null | undefined)[] = [];
  return (index) => {
    if (!column.isValid(index)) return null;
    const position = Number(indices[index]);
    let text = known[position];
    if (text === undefined) {
      text = read(position);
      known[position] = text;
    }
    return text;
  };
}

/** Reads the text of the value that stands for each run. */
export function runReader(
  values: Field,
  column: RunEndEncodedColumn,
  reader: (field: Field, column: Column) => TextReader,
): TextReader {
  const read = reader(values, column.values);
  return (index) => read(column.runAt(index));
}

/** Reads the text of the child that each value names. */
export function unionReader(
  children: readonly Field[],
  column: UnionColumn,
  reader: (field: Field, column: Column) => TextReader,
): TextReader {
  const readers = readersOf(children, column.children, reader);
  return (index) => readers[column.childAt(index)]?.(column.position(index)) ?? null;
}

/** A reader a child. */
export function readersOf(
  fields: readonly Field[],
  columns: readonly Column[],
  reader: (field: Field, column: Column) => TextReader,
): TextReader[] {
  return columns.flatMap((column, c) => (fields[c] ? [reader(fields[c], column)] : []));
}

function listReader([field]: readonly Field[], column: AnyList): TextReader {
  const read = field ? nestedReader(field, column.child) : () => '';
  return (index) => {
    if (!column.isValid(index)) return null;
    const items: string[] = [];
    const end = column.end(index);
    for (let i = column.start(index); i < end; i++) items.push(read(i));
    return `[${items.join(', ')}]`;
  };
}

function mapReader([key, value]: readonly Field[], column: MapColumn): TextReader {
  const [keys, values] = (column.child as StructColumn).children;
  const readKey = key && keys ? nestedReader(key, keys) : () => '';
  const readValue = value && values ? nestedReader(value, values) : () => '';
  return (index) => {
    if (!column.isValid(index)) return null;
    const entries: string[] = [];
    const end = column.end(index);
    for (let i = column.start(index); i < end; i++) entries.push(`${readKey(i)}=${readValue(i)}`);
    return `{${entries.join(', ')}}`;
  };
}

function structReader(fields: readonly Field[], column: StructColumn): TextReader {
  const names = rowNames(fields).map((name) => `'${name.replace(/['\\]/g, '\\$&')}': `);
  const readers = column.children.map((child, c) => (fields[c] ? nestedReader(fields[c], child) : () => ''));
  return (index) => {
    if (!column.isValid(index)) return null;
    return `{${readers.map((read, c) => names[c] + read(index)).join(', ')}}`;
  };
}

/** Reads a value inside of another: a null as `NULL`, text quoted where it could be misread. */
function nestedReader(field: Field, column: Column): (index: number) => string {
  const read = textReader(field, column);
  if (childFields(field.type).length > 0 && field.type.kind !== 'union') return (index) => read(index) ?? 'NULL';
  return (index) => {
    const text = read(index);
    if (text === null) return 'NULL';
    return quoted.test(text) ? `'${text.replace(/['\\]/g, '\\$&')}'` : text;
  };
}

const quoted = /^$|^\s|\s$|^null$|[()[\]{},:='"\\]/i;
