import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import { byteWidth } from '../../../arrow/type.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import { viewValues } from './fixed.ts';
import type { InfinityPolicy } from './option.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** What a value that Arrow cannot hold is called, and the side that it lies on. */
interface Beyond {
  readonly text: string;
  readonly above: boolean;
}

/** Dates, times, timestamps and intervals: values of fixed width, of which some are beyond what Arrow's type holds. */
abstract class BoundedDecoder implements ColumnDecoder {
  abstract readonly width: number;
  protected readonly memory: ColumnMemory = new ColumnMemory();
  readonly #context: DecoderContext;
  readonly #policy: InfinityPolicy;
  readonly #validity: Validity = new Validity();
  readonly #byteWidth: number;

  constructor(context: DecoderContext, policy: InfinityPolicy) {
    this.#context = context;
    this.#policy = policy;
    this.#byteWidth = byteWidth(context.field.type) ?? 0;
  }

  get byteLength(): number {
    return this.memory.length + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.memory.expect(rowCount * this.#byteWidth);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const from = this.#validity.length;
    const at = this.memory.extend(count * this.#byteWidth);
    this.#validity.append(places, first, count, nullCount);
    for (let i = 0; i < count; i++) {
      i = this.copy(source, places, first, i, count, at >>> 2, nullCount > 0);
      if (i < count) this.#settle(source, places[first + i] ?? 0, from + i, (at >>> 2) + i * (this.#byteWidth >>> 2));
    }
  }

  finish(): Column {
    const { field } = this.#context;
    const values = viewValues(field.type, this.memory.take());
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), values });
  }

  /** Copies values `from` to `count` into the words from `word` on; ends at, and gives, the first that is beyond. */
  protected abstract copy(
    source: Source,
    places: Int32Array,
    first: number,
    from: number,
    count: number,
    word: number,
    hasNulls: boolean,
  ): number;

  protected abstract explain(source: Source, place: number): Beyond;

  /** Sets the words from `word` on to the last value on one side. */
  protected abstract clamp(word: number, above: boolean): void;

  #settle(source: Source, place: number, index: number, word: number): void {
    const { text, above } = this.explain(source, place);
    switch (this.#policy) {
      case 'null':
        this.#validity.unset(index);
        this.memory.words.fill(0, word, word + (this.#byteWidth >>> 2));
        return;
      case 'clamp':
        this.clamp(word, above);
        return;
      default:
        throw source.fault(
          this.#context.path,
          place,
          `${text} is beyond what the Arrow type holds`,
          'set the option infinity to null or clamp, filter with isfinite(), or cast it to text',
        );
    }
  }
}

/** From 2000-01-01, PostgreSQL's epoch, to 1970-01-01. */
const epochDays = 10957;
const maxDays = 0x7fff_ffff - epochDays;

/** Days. Beyond are the infinities alone. */
export class DateDecoder extends BoundedDecoder {
  readonly width = 4;

  protected copy(
    { view }: Source,
    places: Int32Array,
    first: number,
    from: number,
    count: number,
    word: number,
    hasNulls: boolean,
  ): number {
    const { words } = this.memory;
    if (hasNulls) return copyMaskedDates(view, places, first, from, count, words, word);
    for (let i = from; i < count; i++) {
      const days = view.getInt32(places[first + i] ?? 0);
      if (days > maxDays || days === -0x8000_0000) return i;
      words[word + i] = days + epochDays;
    }
    return count;
  }

  protected explain({ view }: Source, place: number): Beyond {
    const days = view.getInt32(place);
    if (days === -0x8000_0000) return { text: 'date -infinity', above: false };
    return { text: days === 0x7fff_ffff ? 'date infinity' : `a date ${days} days after 2000-01-01`, above: true };
  }

  protected clamp(word: number, above: boolean): void {
    this.memory.words[word] = above ? 0x7fff_ffff : -0x8000_0000;
  }
}

/** NULLs, whose place is 0, are masked and not asked for: where they come at random, a branch would be guessed wrong. */
function copyMaskedDates(
  view: DataView,
  places: Int32Array,
  first: number,
  from: number,
  count: number,
  words: Int32Array,
  word: number,
): number {
  for (let i = from; i < count; i++) {
    const place = places[first + i] ?? 0;
    const valid = -place >> 31;
    const days = view.getInt32(place) & valid;
    if (days > maxDays || days === -0x8000_0000) return i;
    words[word + i] = (days + epochDays) & valid;
  }
  return count;
}

const epochMicros = 946_684_800_000_000;
const epochHigh = Math.floor(epochMicros / 2 ** 32);
const epochLow = epochMicros - epochHigh * 2 ** 32;
/** Up to here the shift of the epoch cannot overflow, whatever the lower half. */
const maxHigh = 0x7fff_ffff - epochHigh - 1;

/** Microseconds since the epoch. Beyond are the infinities and what lies past 294247-01-10T04:00:54.775807. */
export class TimestampDecoder extends BoundedDecoder {
  readonly width = 8;

  protected copy(
    { view }: Source,
    places: Int32Array,
    first: number,
    from: number,
    count: number,
    word: number,
    hasNulls: boolean,
  ): number {
    const { words } = this.memory;
    if (hasNulls) return copyMaskedTimestamps(view, places, first, from, count, words, word);
    for (let i = from, to = word + 2 * from; i < count; i++, to += 2) {
      const place = places[first + i] ?? 0;
      const high = view.getInt32(place);
      const low = view.getUint32(place + 4) + epochLow;
      if ((high > maxHigh || high === -0x8000_0000) && isBeyond(high, low)) return i;
      words[to] = low;
      words[to + 1] = high + epochHigh + (low > 0xffff_ffff ? 1 : 0);
    }
    return count;
  }

  protected explain({ view }: Source, place: number): Beyond {
    const micros = view.getBigInt64(place);
    if (micros === -0x8000_0000_0000_0000n) return { text: 'timestamp -infinity', above: false };
    const isInfinity = micros === 0x7fff_ffff_ffff_ffffn;
    return {
      text: isInfinity ? 'timestamp infinity' : `a timestamp ${micros} microseconds after 2000-01-01`,
      above: true,
    };
  }

  protected clamp(word: number, above: boolean): void {
    const { words } = this.memory;
    words[word] = above ? -1 : 0;
    words[word + 1] = above ? 0x7fff_ffff : -0x8000_0000;
  }
}

function copyMaskedTimestamps(
  view: DataView,
  places: Int32Array,
  first: number,
  from: number,
  count: number,
  words: Int32Array,
  word: number,
): number {
  for (let i = from, to = word + 2 * from; i < count; i++, to += 2) {
    const place = places[first + i] ?? 0;
    const valid = -place >> 31;
    const high = view.getInt32(place) & valid;
    const low = view.getUint32(place + 4) + epochLow;
    if ((high > maxHigh || high === -0x8000_0000) && isBeyond(high, low)) return i;
    words[to] = low & valid;
    words[to + 1] = (high + epochHigh + (low > 0xffff_ffff ? 1 : 0)) & valid;
  }
  return count;
}

function isBeyond(high: number, low: number): boolean {
  if (high < 0) return low === epochLow;
  return high + epochHigh + (low > 0xffff_ffff ? 1 : 0) > 0x7fff_ffff;
}

const dayMicros = 86_400_000_000;

/** Times of day in microseconds. Beyond is 24:00:00, which Arrow's times do not reach. */
export class TimeDecoder extends BoundedDecoder {
  readonly width = 8;

  protected copy(
    { view }: Source,
    places: Int32Array,
    first: number,
    from: number,
    count: number,
    word: number,
  ): number {
    const { words } = this.memory;
    for (let i = from, to = word + 2 * from; i < count; i++, to += 2) {
      const place = places[first + i] ?? 0;
      const high = place === 0 ? 0 : view.getInt32(place);
      const low = place === 0 ? 0 : view.getUint32(place + 4);
      if (high < 0 || high * 2 ** 32 + low >= dayMicros) return i;
      words[to] = low;
      words[to + 1] = high;
    }
    return count;
  }

  protected explain({ view }: Source, place: number): Beyond {
    const micros = view.getBigInt64(place);
    if (micros === BigInt(dayMicros)) return { text: 'time 24:00:00', above: true };
    return { text: `a time of ${micros} microseconds`, above: micros > 0n };
  }

  protected clamp(word: number, above: boolean): void {
    const { words } = this.memory;
    const micros = above ? dayMicros - 1 : 0;
    words[word] = micros % 2 ** 32;
    words[word + 1] = Math.floor(micros / 2 ** 32);
  }
}

/** Halves of the most microseconds whose thousandfold fits into 64 bits, 9,223,372,036,854,775, and of as many below zero. */
const maxSpan = { high: 0x0020_c49b, low: 0xa5e3_53f7 };
const minSpan = { high: -0x0020_c49c, low: 0x5a1c_ac09 };

/** Months, days and nanoseconds. Beyond are the infinities of PostgreSQL 17 and more than 292 years in microseconds. */
export class IntervalDecoder extends BoundedDecoder {
  readonly width = 16;

  protected copy(
    { view }: Source,
    places: Int32Array,
    first: number,
    from: number,
    count: number,
    word: number,
  ): number {
    const { words } = this.memory;
    for (let i = from, to = word + 4 * from; i < count; i++, to += 4) {
      const place = places[first + i] ?? 0;
      if (place === 0) {
        words.fill(0, to, to + 4);
        continue;
      }
      const high = view.getInt32(place);
      const low = view.getUint32(place + 4);
      if (high >= maxSpan.high && (high > maxSpan.high || low > maxSpan.low)) return i;
      if (high <= minSpan.high && (high < minSpan.high || low < minSpan.low)) return i;
      const lowNanos = low * 1000;
      const carry = Math.floor(lowNanos / 2 ** 32);
      words[to] = view.getInt32(place + 12);
      words[to + 1] = view.getInt32(place + 8);
      words[to + 2] = lowNanos - carry * 2 ** 32;
      words[to + 3] = high * 1000 + carry;
    }
    return count;
  }

  protected explain({ view }: Source, place: number): Beyond {
    const micros = view.getBigInt64(place);
    const [days, months] = [view.getInt32(place + 8), view.getInt32(place + 12)];
    if (months === 0x7fff_ffff && days === 0x7fff_ffff) return { text: 'interval infinity', above: true };
    if (months === -0x8000_0000 && days === -0x8000_0000) return { text: 'interval -infinity', above: false };
    return { text: `an interval of ${micros} microseconds`, above: micros > 0n };
  }

  protected clamp(word: number, above: boolean): void {
    const { words } = this.memory;
    const end = above ? 0x7fff_ffff : -0x8000_0000;
    words[word] = end;
    words[word + 1] = end;
    words[word + 2] = above ? -1 : 0;
    words[word + 3] = end;
  }
}
