import { decodeUtf8 } from '#platform';
import { dateText, timeText } from '../temporal.ts';

/**
 * The value of a Parquet variant (VariantEncoding.md), from its two parts: null, boolean, number for integers up to 32 bits
 * and floats, bigint for int64, text for decimals, strings, UUIDs and, by ISO 8601, dates, times and timestamps, bytes as
 * `Uint8Array`, arrays, and objects (a property that is named `__proto__` is an ordinary one). Throws for what is malformed.
 */
export function readVariant(metadata: Uint8Array, value: Uint8Array): unknown {
  return new VariantReader(readNames(metadata), value).read(0, 0);
}

/** Nesting that no one needs, and that the stack still bears. */
const maxDepth = 500;

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** An unsigned little-endian number of 1 to 4 bytes. */
function unsigned(view: DataView, at: number, width: number): number {
  let number = 0;
  for (let i = 0; i < width; i++) number += view.getUint8(at + i) * 2 ** (8 * i);
  return number;
}

function textAt(bytes: Uint8Array, start: number, end: number): string {
  if (start > end || end > bytes.length) throw new RangeError(`bytes ${start} to ${end} of ${bytes.length}`);
  return decodeUtf8(bytes, start, end);
}

function readNames(metadata: Uint8Array): string[] {
  const view = viewOf(metadata);
  const header = view.getUint8(0);
  if ((header & 0x0f) !== 1) throw new RangeError(`variant metadata of version ${header & 0x0f}`);
  const width = (header >>> 6) + 1;
  const count = unsigned(view, 1, width);
  const offset = (i: number): number => unsigned(view, 1 + width * (1 + i), width);
  const data = 1 + width * (count + 2);
  if (data > metadata.length) throw new RangeError(`${count} names do not fit ${metadata.length} bytes`);
  return Array.from({ length: count }, (_, i) => textAt(metadata, data + offset(i), data + offset(i + 1)));
}

class VariantReader {
  readonly #names: readonly string[];
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  constructor(names: readonly string[], bytes: Uint8Array) {
    this.#names = names;
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }

  read(at: number, depth: number): unknown {
    if (depth > maxDepth) throw new RangeError(`nested deeper than ${maxDepth}`);
    const header = this.#view.getUint8(at);
    const info = header >>> 2;
    switch (header & 3) {
      case 0:
        return this.#primitive(info, at + 1);
      case 1:
        return textAt(this.#bytes, at + 1, at + 1 + info);
      case 2:
        return this.#object(info, at + 1, depth);
      default:
        return this.#array(info, at + 1, depth);
    }
  }

  #object(info: number, at: number, depth: number): unknown {
    const offsetWidth = (info & 3) + 1;
    const idWidth = ((info >>> 2) & 3) + 1;
    const countWidth = info & 16 ? 4 : 1;
    const count = unsigned(this.#view, at, countWidth);
    const ids = at + countWidth;
    const offsets = ids + count * idWidth;
    const data = offsets + (count + 1) * offsetWidth;
    this.#expect(data);
    const entries: [string, unknown][] = [];
    for (let i = 0; i < count; i++) {
      const id = unsigned(this.#view, ids + i * idWidth, idWidth);
      const name = this.#names[id];
      if (name === undefined) throw new RangeError(`name ${id} of ${this.#names.length}`);
      entries.push([name, this.read(data + unsigned(this.#view, offsets + i * offsetWidth, offsetWidth), depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  #array(info: number, at: number, depth: number): unknown {
    const offsetWidth = (info & 3) + 1;
    const countWidth = info & 4 ? 4 : 1;
    const count = unsigned(this.#view, at, countWidth);
    const offsets = at + countWidth;
    const data = offsets + (count + 1) * offsetWidth;
    this.#expect(data);
    const place = (i: number): number => data + unsigned(this.#view, offsets + i * offsetWidth, offsetWidth);
    return Array.from({ length: count }, (_, i) => this.read(place(i), depth + 1));
  }

  /** Throws where a count announces more than there is, before anything is made for it. */
  #expect(end: number): void {
    if (end > this.#bytes.length) throw new RangeError(`byte ${end} of ${this.#bytes.length}`);
  }

  #primitive(type: number, at: number): unknown {
    const view = this.#view;
    switch (type) {
      case 0:
        return null;
      case 1:
        return true;
      case 2:
        return false;
      case 3:
        return view.getInt8(at);
      case 4:
        return view.getInt16(at, true);
      case 5:
        return view.getInt32(at, true);
      case 6:
        return view.getBigInt64(at, true);
      case 7:
        return view.getFloat64(at, true);
      case 8:
        return decimalText(BigInt(view.getInt32(at + 1, true)), view.getUint8(at));
      case 9:
        return decimalText(view.getBigInt64(at + 1, true), view.getUint8(at));
      case 10:
        return decimalText(
          (view.getBigInt64(at + 9, true) << 64n) + view.getBigUint64(at + 1, true),
          view.getUint8(at),
        );
      case 11:
        return dateText(view.getInt32(at, true), true);
      case 12:
        return timestampText(view.getBigInt64(at, true), 1_000_000, 'Z');
      case 13:
        return timestampText(view.getBigInt64(at, true), 1_000_000, '');
      case 14:
        return view.getFloat32(at, true);
      case 15: {
        const start = at + 4;
        const end = start + unsigned(view, at, 4);
        this.#expect(end);
        return this.#bytes.subarray(start, end);
      }
      case 16:
        return textAt(this.#bytes, at + 4, at + 4 + unsigned(view, at, 4));
      case 17: {
        const count = view.getBigInt64(at, true);
        if (count < 0n || count >= 86_400_000_000n) throw new RangeError(`${count} is no time of day`);
        return timeText(Number(count / 1_000_000n), Number(count % 1_000_000n), 1_000_000);
      }
      case 18:
        return timestampText(view.getBigInt64(at, true), 1_000_000_000, 'Z');
      case 19:
        return timestampText(view.getBigInt64(at, true), 1_000_000_000, '');
      case 20: {
        this.#expect(at + 16);
        const hex = Array.from(this.#bytes.subarray(at, at + 16), (byte) => byte.toString(16).padStart(2, '0')).join(
          '',
        );
        return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      }
      default:
        throw new RangeError(`variant type ${type} is not known`);
    }
  }
}

function decimalText(unscaled: bigint, scale: number): string {
  if (scale > 38) throw new RangeError(`a decimal of scale ${scale}`);
  const sign = unscaled < 0n ? '-' : '';
  const digits = `${unscaled < 0n ? -unscaled : unscaled}`.padStart(scale + 1, '0');
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function timestampText(count: bigint, perSecond: number, zone: string): string {
  const perDay = 86_400n * BigInt(perSecond);
  const inDay = ((count % perDay) + perDay) % perDay;
  const per = BigInt(perSecond);
  const time = timeText(Number(inDay / per), Number(inDay % per), perSecond);
  return `${dateText(Number((count - inDay) / perDay), true)}T${time}${zone}`;
}
