import { RecurveError } from '../../error.ts';
import type { FlatbufferReader } from '../flatbuffer/reader.ts';
import type { TableSlots } from '../flatbuffer/writer.ts';
import type { Field } from '../schema.ts';
import {
  type DataType,
  type IntervalType,
  type IntType,
  type RunEndEncodedType,
  type TimeUnit,
  typeToString,
  type UnionType,
} from '../type.ts';

/** `Type` (Schema.fbs), by number. */
const typeId = {
  null: 1,
  int: 2,
  floatingPoint: 3,
  binary: 4,
  utf8: 5,
  bool: 6,
  decimal: 7,
  date: 8,
  time: 9,
  timestamp: 10,
  interval: 11,
  list: 12,
  struct: 13,
  union: 14,
  fixedSizeBinary: 15,
  fixedSizeList: 16,
  map: 17,
  duration: 18,
  largeBinary: 19,
  largeUtf8: 20,
  largeList: 21,
  runEndEncoded: 22,
  binaryView: 23,
  utf8View: 24,
  listView: 25,
  largeListView: 26,
} as const;

const timeUnits: readonly TimeUnit[] = ['s', 'ms', 'us', 'ns'];
const intervalUnits: readonly IntervalType['unit'][] = ['year-month', 'day-time', 'month-day-nano'];
const decimalDigits = { 32: 9, 64: 18, 128: 38, 256: 76 } as const;
const maxScale = 32_767;

/**
 * Reads a member of the `Type` union; `table` is 0 when absent. Absent fields of it mean the schema's defaults, such as
 * milliseconds. Throws NOT_IMPLEMENTED for a type that is not supported and INVALID_DATA for one that cannot be.
 */
export function readType(
  flatbuffer: FlatbufferReader,
  id: number,
  table: number,
  children: readonly Field[],
  path: string,
): DataType {
  if (id === 0) flatbuffer.fail(`column ${path} has no type`);
  if (id > typeId.largeListView) {
    throw new RecurveError('NOT_IMPLEMENTED', `${flatbuffer.place}: type ${id} of column ${path} is not supported`);
  }
  if (table === 0) flatbuffer.fail(`column ${path} has no type table`);
  const reader = new TypeReader(flatbuffer, table, path);
  switch (id) {
    case typeId.list:
      return { kind: 'list', child: reader.onlyChild(children), large: false };
    case typeId.largeList:
      return { kind: 'list', child: reader.onlyChild(children), large: true };
    case typeId.listView:
    case typeId.largeListView:
      return { kind: 'list-view', child: reader.onlyChild(children), large: id === typeId.largeListView };
    case typeId.runEndEncoded:
      return reader.runs(children);
    case typeId.fixedSizeList:
      return { kind: 'fixed-size-list', child: reader.onlyChild(children), listSize: reader.size('list size') };
    case typeId.map:
      return { kind: 'map', child: reader.entries(children), keysSorted: flatbuffer.bool(table, 0) };
    case typeId.struct:
      return { kind: 'struct', children };
    case typeId.union:
      return reader.union(children);
  }
  return reader.flat(id);
}

/** Reads an `Int` table. */
export function readInt(flatbuffer: FlatbufferReader, table: number, path: string): IntType {
  const bitWidth = flatbuffer.int32(table, 0);
  if (bitWidth !== 8 && bitWidth !== 16 && bitWidth !== 32 && bitWidth !== 64) {
    return flatbuffer.fail(`column ${path} has integers of ${bitWidth} bits`);
  }
  return { kind: 'int', bitWidth, signed: flatbuffer.bool(table, 1) };
}

class TypeReader {
  readonly #flatbuffer: FlatbufferReader;
  readonly #table: number;
  readonly #path: string;

  constructor(flatbuffer: FlatbufferReader, table: number, path: string) {
    this.#flatbuffer = flatbuffer;
    this.#table = table;
    this.#path = path;
  }

  flat(id: number): DataType {
    const flatbuffer = this.#flatbuffer;
    const table = this.#table;
    switch (id) {
      case typeId.null:
        return { kind: 'null' };
      case typeId.int:
        return readInt(flatbuffer, table, this.#path);
      case typeId.floatingPoint:
        return { kind: 'float', bitWidth: this.#oneOf([16, 32, 64] as const, 0, 'precision') };
      case typeId.binary:
        return { kind: 'binary', large: false };
      case typeId.largeBinary:
        return { kind: 'binary', large: true };
      case typeId.binaryView:
        return { kind: 'binary-view' };
      case typeId.utf8View:
        return { kind: 'utf8-view' };
      case typeId.utf8:
        return { kind: 'utf8', large: false };
      case typeId.largeUtf8:
        return { kind: 'utf8', large: true };
      case typeId.bool:
        return { kind: 'bool' };
      case typeId.decimal:
        return this.#decimal();
      case typeId.date:
        return { kind: 'date', unit: this.#oneOf(['day', 'ms'] as const, 1, 'date unit') };
      case typeId.time:
        return this.#time();
      case typeId.timestamp:
        return { kind: 'timestamp', unit: this.#timeUnit(0), timezone: flatbuffer.string(table, 1) };
      case typeId.interval:
        return { kind: 'interval', unit: this.#oneOf(intervalUnits, 0, 'interval unit') };
      case typeId.duration:
        return { kind: 'duration', unit: this.#timeUnit(1) };
      default:
        return { kind: 'fixed-size-binary', byteWidth: this.size('byte width') };
    }
  }

  size(what: string): number {
    const size = this.#flatbuffer.int32(this.#table, 0);
    return size < 0 ? this.#fail(`has ${what} ${size}`) : size;
  }

  onlyChild(children: readonly Field[]): Field {
    const child = children[0];
    return child === undefined || children.length !== 1
      ? this.#fail(`is a list of ${children.length} children, not 1`)
      : child;
  }

  entries(children: readonly Field[]): Field {
    const child = this.onlyChild(children);
    return child.type.kind === 'struct' && child.type.children.length === 2
      ? child
      : this.#fail('is a map whose child is no struct of a key and a value');
  }

  runs(children: readonly Field[]): RunEndEncodedType {
    const [runEnds, values] = children;
    if (runEnds === undefined || values === undefined || children.length !== 2)
      return this.#fail(`is run-end encoded with ${children.length} children, not 2`);
    const { type } = runEnds;
    if (type.kind !== 'int' || !type.signed || type.bitWidth === 8)
      this.#fail(`has run ends of ${typeToString(type)}, which is none of int16, int32, int64`);
    return { kind: 'run-end-encoded', runEnds, values };
  }

  union(children: readonly Field[]): UnionType {
    const flatbuffer = this.#flatbuffer;
    const mode = this.#oneOf(['sparse', 'dense'] as const, 0, 'union mode');
    const ids = flatbuffer.vector(this.#table, 1, 4);
    // The default is the children's positions (Schema.fbs, `Union`).
    const typeIds =
      ids.start === 0
        ? children.map((_, i) => i)
        : Array.from({ length: ids.length }, (_, i) => flatbuffer.int32At(ids.start + 4 * i));
    if (typeIds.length !== children.length)
      this.#fail(`is a union of ${children.length} children and ${typeIds.length} type ids`);
    const wrong = typeIds.find((id, i) => id < 0 || id > 127 || typeIds.indexOf(id) !== i);
    if (wrong !== undefined) this.#fail(`is a union with type id ${wrong}, which is used twice or not among 0 to 127`);
    return { kind: 'union', mode, typeIds, children };
  }

  #decimal(): DataType {
    const precision = this.#flatbuffer.int32(this.#table, 0);
    const scale = this.#flatbuffer.int32(this.#table, 1);
    const bitWidth = this.#flatbuffer.int32(this.#table, 2, 128);
    if (bitWidth !== 32 && bitWidth !== 64 && bitWidth !== 128 && bitWidth !== 256)
      return this.#fail(`has decimals of ${bitWidth} bits`);
    if (precision < 1 || precision > decimalDigits[bitWidth]) {
      this.#fail(`has decimals of ${precision} digits, ${bitWidth} bits hold 1 to ${decimalDigits[bitWidth]}`);
    }
    // A text of a decimal has as many digits as its scale.
    if (Math.abs(scale) > maxScale) this.#fail(`has decimals of scale ${scale}, beyond ±${maxScale}`);
    return { kind: 'decimal', precision, scale, bitWidth };
  }

  #time(): DataType {
    const unit = this.#timeUnit(1);
    const bitWidth = this.#flatbuffer.int32(this.#table, 1, 32);
    if (bitWidth !== (unit === 's' || unit === 'ms' ? 32 : 64))
      this.#fail(`counts time in ${unit} by ${bitWidth} bits`);
    return { kind: 'time', unit };
  }

  /** The member of an enumeration in slot 0. */
  /** Units that do not exist are seconds: Arrow C++ reads them so, and its verdict counts. */
  #timeUnit(absent: number): TimeUnit {
    return timeUnits[this.#flatbuffer.int16(this.#table, 0, absent)] ?? 's';
  }

  #oneOf<T>(members: readonly T[], absent: number, what: string): T {
    const value = this.#flatbuffer.int16(this.#table, 0, absent);
    const member = members[value];
    return member === undefined ? this.#fail(`has ${what} ${value}, which is none`) : member;
  }

  #fail(what: string): never {
    return this.#flatbuffer.fail(`column ${this.#path} ${what}`);
  }
}

/** The `Type` union's number and table of a type; fields that have their default are written too, where readers differ. */
export function writeType(type: Exclude<DataType, { kind: 'dictionary' }>): { id: number; table: TableSlots } {
  switch (type.kind) {
    case 'null':
      return { id: typeId.null, table: [] };
    case 'bool':
      return { id: typeId.bool, table: [] };
    case 'int':
      return { id: typeId.int, table: intSlots(type) };
    case 'float':
      return { id: typeId.floatingPoint, table: [['int16', [16, 32, 64].indexOf(type.bitWidth)]] };
    case 'decimal':
      return { id: typeId.decimal, table: int32Slots(type.precision, type.scale, type.bitWidth) };
    case 'utf8':
      return { id: type.large ? typeId.largeUtf8 : typeId.utf8, table: [] };
    case 'binary':
      return { id: type.large ? typeId.largeBinary : typeId.binary, table: [] };
    case 'utf8-view':
      return { id: typeId.utf8View, table: [] };
    case 'binary-view':
      return { id: typeId.binaryView, table: [] };
    case 'fixed-size-binary':
      return { id: typeId.fixedSizeBinary, table: int32Slots(type.byteWidth) };
    case 'date':
      return { id: typeId.date, table: [['int16', type.unit === 'day' ? 0 : 1]] };
    case 'time': {
      const bitWidth = type.unit === 's' || type.unit === 'ms' ? 32 : 64;
      return { id: typeId.time, table: [unitSlot(type.unit), ['int32', bitWidth]] };
    }
    case 'timestamp': {
      const timezone = type.timezone === null ? null : (['string', type.timezone] as const);
      return { id: typeId.timestamp, table: [unitSlot(type.unit), timezone] };
    }
    case 'duration':
      return { id: typeId.duration, table: [unitSlot(type.unit)] };
    case 'interval':
      return { id: typeId.interval, table: [['int16', intervalUnits.indexOf(type.unit)]] };
    case 'list':
      return { id: type.large ? typeId.largeList : typeId.list, table: [] };
    case 'list-view':
      return { id: type.large ? typeId.largeListView : typeId.listView, table: [] };
    case 'run-end-encoded':
      return { id: typeId.runEndEncoded, table: [] };
    case 'fixed-size-list':
      return { id: typeId.fixedSizeList, table: int32Slots(type.listSize) };
    case 'struct':
      return { id: typeId.struct, table: [] };
    case 'map':
      return { id: typeId.map, table: [['int8', type.keysSorted ? 1 : 0]] };
    case 'union': {
      const mode = ['int16', type.mode === 'dense' ? 1 : 0] as const;
      return { id: typeId.union, table: [mode, ['int32s', type.typeIds]] };
    }
  }
}

/** An `Int` table. */
export function intSlots(type: IntType): TableSlots {
  return [
    ['int32', type.bitWidth],
    ['int8', type.signed ? 1 : 0],
  ];
}

function int32Slots(...values: number[]): TableSlots {
  return values.map((value) => ['int32', value]);
}

function unitSlot(unit: TimeUnit): TableSlots[number] {
  return ['int16', timeUnits.indexOf(unit)];
}
