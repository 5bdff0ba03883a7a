import { toFloat16 } from '../../arrow/column/float16.ts';
import type { Values } from '../../arrow/column.ts';
import type { DataType, FloatType, IntType } from '../../arrow/type.ts';
import { RecurveError } from '../../error.ts';
import type { JsonInteger, JsonView } from './json-format.ts';

type MakeValues = (type: DataType, data: readonly unknown[]) => Values;

const int32s: MakeValues = (_, data) => Int32Array.from(data as number[]);
const int64s: MakeValues = (_, data) => BigInt64Array.from(data as JsonInteger[], BigInt);

/** What fills the buffer of a fixed-width type, by its kind. */
export const fixedValues: ReadonlyMap<DataType['kind'], MakeValues> = new Map<DataType['kind'], MakeValues>([
  ['int', (type, data) => integers(type as IntType, data as JsonInteger[])],
  ['float', (type, data) => floats(type as FloatType, data as number[])],
  ['decimal', (type, data) => decimals((type as { bitWidth: number }).bitWidth, data as JsonInteger[])],
  ['date', (type, data) => ((type as { unit: string }).unit === 'day' ? int32s : int64s)(type, data)],
  ['time', (type, data) => (['s', 'ms'].includes((type as { unit: string }).unit) ? int32s : int64s)(type, data)],
  ['timestamp', int64s],
  ['duration', int64s],
  ['interval', (type, data) => intervals((type as { unit: string }).unit, data)],
  ['fixed-size-binary', (type, data) => fixedBytes((type as { byteWidth: number }).byteWidth, data as string[])],
]);

const integerArrays = {
  8: [Uint8Array, Int8Array],
  16: [Uint16Array, Int16Array],
  32: [Uint32Array, Int32Array],
} as const;

function integers({ bitWidth, signed }: IntType, data: readonly JsonInteger[]): Values {
  if (bitWidth === 64) return signed ? BigInt64Array.from(data, BigInt) : BigUint64Array.from(data, BigInt);
  const Values = integerArrays[bitWidth][signed ? 1 : 0];
  return new Values(data.map(Number));
}

/** JSON has no number for NaN, the infinities and -0: they may come as text. */
function floats({ bitWidth }: FloatType, data: readonly (number | string)[]): Values {
  if (bitWidth === 16) return Uint16Array.from(data, (value) => toFloat16(Number(value)));
  return bitWidth === 32 ? Float32Array.from(data, Number) : Float64Array.from(data, Number);
}

function decimals(bitWidth: number, data: readonly JsonInteger[]): Values {
  if (bitWidth === 32) return Int32Array.from(data, Number);
  const words = bitWidth / 64;
  const out = new BigInt64Array(data.length * words);
  data.forEach((text, i) => {
    let rest = BigInt(text);
    for (let word = 0; word < words; word++) {
      out[i * words + word] = BigInt.asIntN(64, rest);
      rest >>= 64n;
    }
  });
  return out;
}

interface JsonInterval {
  readonly days: number;
  readonly milliseconds: number;
  readonly months: number;
  readonly nanoseconds: JsonInteger;
}

function intervals(unit: string, data: readonly unknown[]): Values {
  if (unit === 'year-month') return Int32Array.from(data as number[]);
  const width = unit === 'day-time' ? 8 : 16;
  const out = new Uint8Array(data.length * width);
  const view = new DataView(out.buffer);
  (data as JsonInterval[]).forEach((value, i) => {
    if (width === 8) {
      view.setInt32(i * 8, value.days, true);
      view.setInt32(i * 8 + 4, value.milliseconds, true);
    } else {
      view.setInt32(i * 16, value.months, true);
      view.setInt32(i * 16 + 4, value.days, true);
      view.setBigInt64(i * 16 + 8, BigInt(value.nanoseconds), true);
    }
  });
  return out;
}

function fixedBytes(byteWidth: number, data: readonly string[]): Uint8Array {
  const out = new Uint8Array(data.length * byteWidth);
  data.forEach((hex, i) => {
    const bytes = bytesOfHex(hex);
    if (bytes.length !== byteWidth) {
      throw new RecurveError('INVALID_DATA', `${bytes.length} bytes ${hex} stand where ${byteWidth} are wanted`);
    }
    out.set(bytes, i * byteWidth);
  });
  return out;
}

/** 32- or 64-bit offsets or sizes. */
export function offsetsOf(values: readonly JsonInteger[], large: boolean): Int32Array | BigInt64Array {
  return large ? BigInt64Array.from(values, BigInt) : Int32Array.from(values, Number);
}

/** The bytes of hexadecimal text. Throws INVALID_DATA for what is none. */
export function bytesOfHex(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = (digit(hex, 2 * i) << 4) | digit(hex, 2 * i + 1);
  }
  if (hex.length % 2 === 1) digit(hex, hex.length);
  return bytes;
}

function digit(hex: string, at: number): number {
  const code = hex.charCodeAt(at) | 0x20;
  if (code >= 0x30 && code <= 0x39 && hex.charCodeAt(at) < 0x3a) return code - 0x30;
  if (code >= 0x61 && code <= 0x66) return code - 0x57;
  throw new RecurveError('INVALID_DATA', `${JSON.stringify(hex.slice(0, 40))} is no hexadecimal text: see place ${at}`);
}

/** The four words of each view; up to 12 bytes stand in the view itself (columnar format, "Variable-size Binary View"). */
export function viewWords(views: readonly JsonView[], isText: boolean): Int32Array {
  const words = new Int32Array(views.length * 4);
  const bytes = new Uint8Array(words.buffer);
  views.forEach(({ SIZE: size, INLINED: inlined, PREFIX_HEX: prefix, BUFFER_INDEX: index, OFFSET: offset }, i) => {
    words[i * 4] = size;
    if (inlined !== undefined) {
      bytes.set(isText ? new TextEncoder().encode(inlined) : bytesOfHex(inlined), i * 16 + 4);
    } else {
      bytes.set(bytesOfHex(prefix ?? ''), i * 16 + 4);
      words[i * 4 + 2] = index ?? 0;
      words[i * 4 + 3] = offset ?? 0;
    }
  });
  return words;
}
