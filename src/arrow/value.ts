import { RecurveError } from '../error.ts';
import { type DecimalColumn, parseDecimal } from './column/decimal.ts';
import type { DictionaryColumn } from './column/dictionary.ts';
import type { FixedSizeListColumn, ListColumn, ListViewColumn, MapColumn } from './column/list.ts';
import type { RunEndEncodedColumn } from './column/run-end.ts';
import type { UnionColumn } from './column/union.ts';
import type { Column } from './column.ts';
import { extensionOf } from './extension.ts';
import { rowMaker } from './row-maker.ts';
import { Field } from './schema.ts';
import { spanReader } from './span.ts';
import { isoStyle, millisecondReader, temporalReader } from './temporal.ts';
import { childFields, type DataType, typeToString } from './type.ts';

/**
 * How values come in rows, at every level of nesting. The defaults lose nothing:
 *
 * | Arrow | JavaScript |
 * |---|---|
 * | null | null |
 * | bool | boolean |
 * | int8 to int32, uint8 to uint32, float16 to float64 | number |
 * | int64, uint64 | bigint |
 * | decimal | text, with as many digits behind the point as the scale says |
 * | utf8, utf8 view | string |
 * | binary, binary view | Uint8Array, a view of the buffer |
 * | date32, time32, interval of months | number of days, of seconds or milliseconds, of months |
 * | date64, time64, timestamp, duration | bigint: the count in the type's unit |
 * | interval of days and time | {@link DayTime} or {@link MonthDayNano} |
 * | list, list view, fixed-size list | array, or typed array where all values of the column are numbers or bigints |
 * | map | array of `[key, value]` |
 * | struct | object |
 * | union | the value of the active child |
 * | run-end encoded | the run's value |
 * | dictionary | the dictionary's value |
 * | `arrow.uuid` | text |
 * | other extensions | as their storage, unless {@link ValueOptions.extensions} has them |
 */
export interface ValueOptions {
  /** For int64 and uint64. `number` throws INVALID_DATA for what is beyond 2^53. Default `bigint`. */
  readonly int64?: 'bigint' | 'number' | undefined;
  /**
   * Default `count`. `date`: dates and timestamps as a Date (INVALID_DATA for those that a Date cannot hold: beyond the
   * year 275760, or digits below a millisecond), the others as counts. `text`: all temporal types as ISO 8601, timestamps
   * that have a zone in UTC; years beyond the calendar (about 5.8 million) as the count.
   */
  readonly temporal?: 'count' | 'date' | 'text' | undefined;
  /**
   * Default `text`. `number` throws INVALID_DATA for a value that would not come back the same from the number's own
   * shortest text. `bigint` is the unscaled integer: the value times 10 to the power of the scale.
   */
  readonly decimal?: 'text' | 'number' | 'bigint' | undefined;
  /** Extension types whose values are wanted in place of their storage's; see `defineExtension`. Default: none. */
  readonly extensions?: readonly ValueExtension[] | undefined;
}

/** An extension type, as conversions and builders see it; `defineExtension` makes one. */
export interface ValueExtension {
  readonly name: string;
  /** Reads a column's values. Throws INVALID_DATA, with the place, for what it does not take. */
  reader(field: Field, column: Column, context: ReadContext): (index: number) => unknown;
  /** Makes of a value what a builder of the storage takes. Throws anything for what it does not take. */
  writer(field: Field): (value: unknown) => unknown;
}

/** The extension among `extensions` that a field is of. */
export function findExtension<E extends { readonly name: string }>(
  field: Field,
  extensions: readonly E[] | undefined,
): E | undefined {
  if (extensions === undefined) return undefined;
  const name = extensionOf(field)?.name;
  return extensions.find((extension) => extension.name === name);
}

type AnyList = ListColumn | ListViewColumn | FixedSizeListColumn;

type Conversion = (index: number) => unknown;

/** What a reader of values is told. */
export interface ReadContext extends ValueOptions {
  /** Column and row of the value that is being read, for messages. */
  place(): string;
}

interface Context extends ReadContext {
  /** Throws, with the place of the value. */
  readonly refuse: (type: DataType, value: unknown, wish: string, instead: string) => never;
}

/**
 * A reader of a column's values as `options` want them, or null where they change nothing for its type. `firstRow` is the
 * row of the column's first value, for messages.
 */
export function convertColumn(field: Field, column: Column, options: ValueOptions, firstRow = 0): Conversion | null {
  let row = 0;
  const place = (): string => `column ${JSON.stringify(field.name)}, row ${firstRow + row}`;
  const refuse = (type: DataType, value: unknown, wish: string, instead: string): never => {
    throw new RecurveError('INVALID_DATA', `${place()}: ${typeToString(type)} ${value} does not fit ${wish}`, {
      hint: `ask for ${instead}`,
    });
  };
  const convert = conversionOf(field, column, { ...options, place, refuse });
  if (convert === null) return null;
  return (index) => {
    row = index;
    return convert(index);
  };
}

function conversionOf(field: Field, column: Column, context: Context): Conversion | null {
  const { type } = field;
  // A dictionary's field stands for its values' extension, which is read once a value.
  const extension = type.kind === 'dictionary' ? undefined : findExtension(field, context.extensions);
  if (extension !== undefined) return extension.reader(field, column, context);
  switch (type.kind) {
    case 'int':
      return type.bitWidth === 64 && context.int64 === 'number' ? toSafeNumber(column, context) : null;
    case 'decimal':
      return toDecimal(column as DecimalColumn, context);
    case 'date':
    case 'timestamp':
      if (context.temporal === 'date') return toDate(column, context);
      return context.temporal === 'text' ? temporalReader(type, column, isoStyle) : null;
    case 'time':
      return context.temporal === 'text' ? temporalReader(type, column, isoStyle) : null;
    case 'duration':
    case 'interval':
      return context.temporal === 'text' ? spanReader(type, column, true) : null;
    case 'dictionary':
      return convertDictionary(field, column as DictionaryColumn, context);
    default:
      return convertNested(type, column, context);
  }
}

function toSafeNumber(column: Column, { refuse }: Context): Conversion {
  return (index) => {
    const value = column.at(index);
    if (value === null) return null;
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : refuse(column.type, value, 'a number', "int64: 'bigint'");
  };
}

function toDecimal(column: DecimalColumn, { decimal, refuse }: Context): Conversion | null {
  if (decimal === 'bigint') return (index) => column.unscaled(index);
  if (decimal !== 'number') return null;
  return (index) => {
    const text = column.at(index);
    if (text === null) return null;
    const number = Number(text);
    // 15 digits always survive the way through a double.
    if (text.length <= 15 || parseDecimal(`${number}`, column.type.scale) === column.unscaled(index)) return number;
    return refuse(column.type, text, 'a number', "decimal: 'text'");
  };
}

function toDate(column: Column, { refuse }: Context): Conversion {
  const read = millisecondReader(column.type, column);
  return (index) => {
    if (!column.isValid(index)) return null;
    const milliseconds = read(index);
    return Number.isNaN(milliseconds)
      ? refuse(column.type, column.at(index), 'a Date', "temporal: 'count' or 'text'")
      : new Date(milliseconds);
  };
}

function convertDictionary(field: Field, column: DictionaryColumn, context: Context): Conversion | null {
  const convert = conversionOf(new Field(field.name, column.dictionary.type, field), column.dictionary, context);
  if (convert === null) return null;
  const known: unknown[] = [];
  return (index) => {
    if (!column.isValid(index)) return null;
    const position = Number(column.indices[index]);
    if (known[position] === undefined) known[position] = convert(position);
    return known[position];
  };
}

function convertNested(type: DataType, column: Column, context: Context): Conversion | null {
  const children = (type.kind === 'map' ? (column as MapColumn).child.layout.children : column.layout.children) ?? [];
  const fields = type.kind === 'map' ? childFields(type.child.type) : childFields(type);
  const conversions = children.map((child, c) => (fields[c] ? conversionOf(fields[c], child, context) : null));
  if (conversions.every((convert) => convert === null)) return null;
  const readers = conversions.map((convert, c): Conversion => convert ?? ((index) => children[c]?.at(index)));
  const [first, second] = readers;
  const nullOr =
    (read: Conversion): Conversion =>
    (index) =>
      column.isValid(index) ? read(index) : null;

  switch (type.kind) {
    case 'list':
    case 'list-view':
    case 'fixed-size-list':
      return nullOr((index) => range(column as AnyList, index, (i) => first?.(i)));
    case 'map':
      return nullOr((index) => range(column as MapColumn, index, (i) => [first?.(i), second?.(i)]));
    case 'struct': {
      const make = rowMaker(fields);
      return nullOr((index) => {
        const out: unknown[] = [];
        make(
          out,
          0,
          1,
          readers.map((read) => [read(index)]),
        );
        return out[0];
      });
    }
    case 'union': {
      const union = column as UnionColumn;
      return (index) => readers[union.childAt(index)]?.(union.position(index)) ?? null;
    }
    case 'run-end-encoded':
      return (index) => readers[1]?.((column as RunEndEncodedColumn).runAt(index));
    default:
      return null;
  }
}

function range(column: AnyList | MapColumn, index: number, read: Conversion): unknown[] {
  const out: unknown[] = [];
  const end = column.end(index);
  for (let i = column.start(index); i < end; i++) out.push(read(i));
  return out;
}
