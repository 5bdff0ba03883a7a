import type { DictionaryColumn } from './column/dictionary.ts';
import type { FixedSizeListColumn, ListColumn, ListViewColumn, MapColumn } from './column/list.ts';
import type { RunEndEncodedColumn } from './column/run-end.ts';
import type { StructColumn } from './column/struct.ts';
import type { UnionColumn } from './column/union.ts';
import type { Column } from './column.ts';
import { rowNames } from './row-name.ts';
import type { Field } from './schema.ts';
import { spanReader } from './span.ts';
import { isoStyle, temporalReader } from './temporal.ts';
import { dictionaryReader, numberReader, readersOf, runReader, unionReader } from './text.ts';
import { childFields } from './type.ts';

type AnyList = ListColumn | ListViewColumn | FixedSizeListColumn;

/** Gives the JSON text of the value at an index; `null` for a null. */
export type JsonReader = (index: number) => string;

/**
 * Reads a column's values as JSON (RFC 8259), exactly: integers and decimals of any size as numbers with all their digits,
 * floats as their shortest text; NaN and the infinities, for which JSON has no number, as the strings `"NaN"`, `"Infinity"`,
 * `"-Infinity"`; dates, times, timestamps, intervals and durations as ISO 8601 strings (timestamps that have a zone in UTC;
 * the count, a number, for what is beyond the calendar); binary as base64; maps as objects, repeated keys and all, when the
 * keys are text, else as arrays of pairs; structs as objects with {@link rowNames}.
 */
export function jsonReader(field: Field, column: Column): JsonReader {
  const read = reader(field, column);
  return (index) => read(index) ?? 'null';
}

type NullReader = (index: number) => string | null;

function reader(field: Field, column: Column): NullReader {
  const { type } = field;
  switch (type.kind) {
    case 'decimal':
      return (index) => column.at(index) as string | null;
    case 'int':
      return numberReader(false, column);
    case 'float':
      return floatReader(numberReader(type.bitWidth === 32, column));
    case 'date':
    case 'time':
    case 'timestamp':
      return countReader(temporalReader(type, column, isoStyle));
    case 'duration':
    case 'interval':
      return quotedReader(spanReader(type, column, true));
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
      return unionReader(type.children, column as UnionColumn, reader);
    case 'run-end-encoded':
      return runReader(type.values, column as RunEndEncodedColumn, reader);
    case 'dictionary':
      return dictionaryReader(field, column as DictionaryColumn, reader);
    default:
      return (index) => {
        const value = column.at(index);
        return value === null ? null : JSON.stringify(value);
      };
  }
}

function floatReader(read: NullReader): NullReader {
  return (index) => {
    const text = read(index);
    return text === null || !/[yN]/.test(text) ? text : `"${text}"`;
  };
}

function countReader(read: NullReader): NullReader {
  return (index) => {
    const text = read(index);
    // A count has nothing but digits and maybe a sign; an ISO year beyond 9999 has more hyphens.
    return text === null || /^-?\d+$/.test(text) ? text : `"${text}"`;
  };
}

function quotedReader(read: NullReader): NullReader {
  return (index) => {
    const text = read(index);
    return text === null ? null : `"${text}"`;
  };
}

function binaryReader(column: Column): NullReader {
  return (index) => {
    const value = column.at(index) as Uint8Array | string | null;
    if (value === null) return null;
    return `"${typeof value === 'string' ? value : base64(value)}"`;
  };
}

/** Bytes that `String.fromCharCode` takes at once: a multiple of 3, so that the pieces of base64 join. */
const base64Step = 6144;

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += base64Step) {
    text += btoa(String.fromCharCode(...bytes.subarray(i, i + base64Step)));
  }
  return text;
}

function listReader(fields: readonly Field[], column: AnyList): NullReader {
  const [read] = readersOf(fields, [column.child], reader);
  return (index) => {
    if (!column.isValid(index)) return null;
    const items: string[] = [];
    const end = column.end(index);
    for (let i = column.start(index); i < end; i++) items.push(read?.(i) ?? 'null');
    return `[${items.join(',')}]`;
  };
}

function mapReader(fields: readonly Field[], column: MapColumn): NullReader {
  const { children } = column.child as StructColumn;
  const [readKey, readValue] = readersOf(fields, children, reader);
  const asObject = (fields[0]?.type.kind ?? '').startsWith('utf8');
  return (index) => {
    if (!column.isValid(index)) return null;
    const entries: string[] = [];
    const end = column.end(index);
    for (let i = column.start(index); i < end; i++) {
      const key = readKey?.(i) ?? (asObject ? '"null"' : 'null');
      const value = readValue?.(i) ?? 'null';
      entries.push(asObject ? `${key}:${value}` : `[${key},${value}]`);
    }
    return asObject ? `{${entries.join(',')}}` : `[${entries.join(',')}]`;
  };
}

function structReader(fields: readonly Field[], column: StructColumn): NullReader {
  const names = rowNames(fields).map((name) => `${JSON.stringify(name)}:`);
  const readers = readersOf(fields, column.children, reader);
  return (index) => {
    if (!column.isValid(index)) return null;
    return `{${readers.map((read, c) => names[c] + (read(index) ?? 'null')).join(',')}}`;
  };
}
