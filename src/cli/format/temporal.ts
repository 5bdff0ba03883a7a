import { Int64Column } from '../../arrow/column/bigint.ts';
import { Int32Column } from '../../arrow/column/number.ts';
import type { Column } from '../../arrow/column.ts';
import {
  dateText,
  fractionText,
  isoStyle,
  sqlStyle,
  type TemporalStyle,
  unitsPerSecond,
} from '../../arrow/temporal.ts';
import type { DataType } from '../../arrow/type.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import type { CellWriter } from './cell.ts';
import { WordReader } from './integer.ts';

const quote = 0x22;
const secondsPerDay = 86_400;

/**
 * The writer of a timestamp or date32 column, digits straight from the buffer; undefined for other columns. What lies
 * outside of the calendar goes to `fallback`. Validity is the caller's.
 */
export function temporalWriter(
  type: DataType,
  column: Column,
  options: { readonly json: boolean; readonly fallback: CellWriter },
): CellWriter | undefined {
  if (type.kind === 'timestamp' && column instanceof Int64Column) return new TimestampCell(type, column, options);
  if (type.kind === 'date' && column instanceof Int32Column) return new DateCell(column.values, options.json);
  return undefined;
}

/** Writes the date of a day, and remembers it: days repeat. */
class DayWriter {
  readonly #expandedYears: boolean;
  #day = Number.NaN;
  #text = '';

  constructor(style: TemporalStyle) {
    this.#expandedYears = style.expandedYears;
  }

  write(out: ByteBuffer, day: number): void {
    if (day !== this.#day) {
      this.#day = day;
      this.#text = dateText(day, this.#expandedYears);
    }
    out.writeAscii(this.#text);
  }
}

class DateCell implements CellWriter {
  readonly #values: Int32Array;
  readonly #json: boolean;
  readonly #days: DayWriter;

  constructor(values: Int32Array, json: boolean) {
    this.#values = values;
    this.#json = json;
    this.#days = new DayWriter(json ? isoStyle : sqlStyle);
  }

  write(out: ByteBuffer, row: number): void {
    if (this.#json) out.writeByte(quote);
    this.#days.write(out, this.#values[row] ?? 0);
    if (this.#json) out.writeByte(quote);
  }
}

class TimestampCell implements CellWriter {
  readonly #words: WordReader;
  readonly #perSecond: number;
  readonly #days: DayWriter;
  readonly #before: string;
  readonly #separator: number;
  readonly #after: string;
  readonly #fallback: CellWriter;

  constructor(
    type: Extract<DataType, { kind: 'timestamp' }>,
    column: Int64Column,
    options: { readonly json: boolean; readonly fallback: CellWriter },
  ) {
    const style = options.json ? isoStyle : sqlStyle;
    const zone = type.timezone === null ? '' : style.zone;
    this.#words = new WordReader(column.values);
    this.#perSecond = unitsPerSecond[type.unit];
    this.#days = new DayWriter(style);
    this.#before = options.json ? '"' : '';
    this.#separator = style.separator.charCodeAt(0);
    this.#after = options.json ? `${zone}"` : zone;
    this.#fallback = options.fallback;
  }

  write(out: ByteBuffer, row: number): void {
    const count = this.#words.read(row);
    const seconds = Math.floor(count / this.#perSecond);
    const day = Math.floor(seconds / secondsPerDay);
    // Also for a count that is no exact number.
    if (!(Math.abs(day) < 2 ** 31)) {
      this.#fallback.write(out, row);
      return;
    }
    out.writeAscii(this.#before);
    this.#days.write(out, day);
    out.writeByte(this.#separator);
    writeClock(out, seconds - day * secondsPerDay);
    const rest = count - seconds * this.#perSecond;
    if (rest !== 0) out.writeAscii(fractionText(rest, this.#perSecond));
    out.writeAscii(this.#after);
  }
}

/** `12:34:56` */
function writeClock(out: ByteBuffer, secondsOfDay: number): void {
  out.reserve(8);
  const minutesOfDay = (secondsOfDay / 60) | 0;
  const hours = (minutesOfDay / 60) | 0;
  const { bytes, length } = out;
  writePair(bytes, length, hours);
  bytes[length + 2] = 0x3a;
  writePair(bytes, length + 3, minutesOfDay - hours * 60);
  bytes[length + 5] = 0x3a;
  writePair(bytes, length + 6, secondsOfDay - minutesOfDay * 60);
  out.length = length + 8;
}

function writePair(bytes: Uint8Array, at: number, value: number): void {
  const tens = (value / 10) | 0;
  bytes[at] = 0x30 + tens;
  bytes[at + 1] = 0x30 + (value - tens * 10);
}
