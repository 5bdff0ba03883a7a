import { RecurveError } from '../../error.ts';
import type { FlatbufferReader } from '../flatbuffer/reader.ts';
import type { TableSlots } from '../flatbuffer/writer.ts';
import type { Field } from '../schema.ts';
import { type DataType, type IntervalType, type IntType, type TimeUnit, typeToString } from '../type.ts';

/** The kinds of type by their number in the union `Type` (Schema.fbs); what comes twice has its large form second. */
const kinds = [
  '',
  'null',
  'int',
  'float',
  'binary',
  'utf8',
  'bool',
  'decimal',
  'date',
  'time',
  'timestamp',
  'interval',
  'list',
  'struct',
  'union',
  'fixed-size-binary',
  'fixed-size-list',
  'map',
  'duration',
  'binary',
  'utf8',
  'list',
  'run-end-encoded',
  'binary-view',
  'utf8-view',
  'list-view',
  'list-view',
] as const;

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
  const fail = (what: string): never => flatbuffer.fail(`column ${path} ${what}`);
  const kind = kinds[id];
  if (kind === undefined) {
    throw new RecurveError('NOT_IMPLEMENTED', `${flatbuffer.place}: type ${id} of column ${path} is not supported`);
  }
  if (kind === '') return fail('has no type');
  if (table === 0) fail('has no type table');
  const large = kinds.indexOf(kind) !== id;
  const int32 = (slot: number, absent?: number): number => flatbuffer.int32(table, slot, absent);
  const oneOf = <T>(members: readonly T[], absent: number, what: string): T => {
    const value = flatbuffer.int16(table, 0, absent);
    return members[value] ?? fail(`has ${what} ${value}, which is none`);
  };
  const timeUnit = (absent: number): TimeUnit => timeUnits[flatbuffer.int16(table, 0, absent)] ?? 's';
  const size = (what: string): number => {
    const value = int32(0);
    return value < 0 ? fail(`has ${what} ${value}`) : value;
  };
  const [first, second] = children;
  const onlyChild = (): Field =>
    first !== undefined && second === undefined ? first : fail(`is a list of ${children.length} children, not 1`);

  switch (kind) {
    case 'int':
      return readInt(flatbuffer, table, path);
    case 'float':
      return { kind, bitWidth: oneOf([16, 32, 64] as const, 0, 'precision') };
    case 'utf8':
    case 'binary':
      return { kind, large };
    case 'decimal': {
      const precision = int32(0);
      const scale = int32(1);
      const bitWidth = int32(2, 128);
      if (bitWidth !== 32 && bitWidth !== 64 && bitWidth !== 128 && bitWidth !== 256)
        return fail(`has decimals of ${bitWidth} bits`);
      const digits = decimalDigits[bitWidth];
      if (precision < 1 || precision > digits)
        fail(`has decimals of ${precision} digits, ${bitWidth} bits hold 1 to ${digits}`);
      // A text of a decimal has as many digits as its scale.
      if (Math.abs(scale) > maxScale) fail(`has decimals of scale ${scale}, beyond ±${maxScale}`);
      return { kind, precision, scale, bitWidth };
    }
    case 'date':
      return { kind, unit: oneOf(['day', 'ms'] as const, 1, 'date unit') };
    case 'time': {
      const unit = timeUnit(1);
      const bitWidth = int32(1, 32);
      if (bitWidth !== timeBits(unit)) fail(`counts time in ${unit} by ${bitWidth} bits`);
      return { kind, unit };
    }
    case 'timestamp':
      return { kind, unit: timeUnit(0), timezone: flatbuffer.string(table, 1) };
    case 'duration':
      return { kind, unit: timeUnit(1) };
    case 'interval':
      return { kind, unit: oneOf(intervalUnits, 0, 'interval unit') };
    case 'fixed-size-binary':
      return { kind, byteWidth: size('byte width') };
    case 'list':
    case 'list-view':
      return { kind, child: onlyChild(), large };
    case 'fixed-size-list':
      return { kind, child: onlyChild(), listSize: size('list size') };
    case 'map': {
      const child = onlyChild();
      if (child.type.kind !== 'struct' || child.type.children.length !== 2)
        fail('is a map whose child is no struct of a key and a value');
      return { kind, child, keysSorted: flatbuffer.bool(table, 0) };
    }
    case 'struct':
      return { kind, children };
    case 'union': {
      const mode = oneOf(['sparse', 'dense'] as const, 0, 'union mode');
      const { start, length } = flatbuffer.vector(table, 1, 4);
      // The default is the children's positions (Schema.fbs, `Union`).
      const typeIds =
        start === 0 ? children.map((_, i) => i) : Array.from({ length }, (_, i) => flatbuffer.int32At(start + 4 * i));
      if (typeIds.length !== children.length)
        fail(`is a union of ${children.length} children and ${typeIds.length} type ids`);
      const wrong = typeIds.find((typeId, i) => typeId < 0 || typeId > 127 || typeIds.indexOf(typeId) !== i);
      if (wrong !== undefined) fail(`is a union with type id ${wrong}, which is used twice or not among 0 to 127`);
      return { kind, mode, typeIds, children };
    }
    case 'run-end-encoded': {
      if (first === undefined || second === undefined || children.length !== 2)
        return fail(`is run-end encoded with ${children.length} children, not 2`);
      const { type } = first;
      if (type.kind !== 'int' || !type.signed || type.bitWidth === 8)
        fail(`has run ends of ${typeToString(type)}, which is none of int16, int32, int64`);
      return { kind, runEnds: first, values: second };
    }
    default:
      return { kind };
  }
}

/** Reads an `Int` table. */
export function readInt(flatbuffer: FlatbufferReader, table: number, path: string): IntType {
  const bitWidth = flatbuffer.int32(table, 0);
  if (bitWidth !== 8 && bitWidth !== 16 && bitWidth !== 32 && bitWidth !== 64) {
    return flatbuffer.fail(`column ${path} has integers of ${bitWidth} bits`);
  }
  return { kind: 'int', bitWidth, signed: flatbuffer.bool(table, 1) };
}

/** The `Type` union's number and table of a type; fields that have their default are written too, where readers differ. */
export function writeType(type: Exclude<DataType, { kind: 'dictionary' }>): { id: number; table: TableSlots } {
  const id = 'large' in type && type.large ? kinds.lastIndexOf(type.kind) : kinds.indexOf(type.kind);
  return { id, table: typeSlots(type) };
}

function typeSlots(type: DataType): TableSlots {
  switch (type.kind) {
    case 'int':
      return intSlots(type);
    case 'float':
      return [['int16', [16, 32, 64].indexOf(type.bitWidth)]];
    case 'decimal':
      return int32Slots(type.precision, type.scale, type.bitWidth);
    case 'fixed-size-binary':
      return int32Slots(type.byteWidth);
    case 'date':
      return [['int16', type.unit === 'day' ? 0 : 1]];
    case 'time':
      return [unitSlot(type.unit), ['int32', timeBits(type.unit)]];
    case 'timestamp':
      return [unitSlot(type.unit), type.timezone === null ? null : ['string', type.timezone]];
    case 'duration':
      return [unitSlot(type.unit)];
    case 'interval':
      return [['int16', intervalUnits.indexOf(type.unit)]];
    case 'fixed-size-list':
      return int32Slots(type.listSize);
    case 'map':
      return [['int8', type.keysSorted ? 1 : 0]];
    case 'union':
      return [
        ['int16', type.mode === 'dense' ? 1 : 0],
        ['int32s', type.typeIds],
      ];
    default:
      return [];
  }
}

function timeBits(unit: TimeUnit): number {
  return unit === 's' || unit === 'ms' ? 32 : 64;
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
