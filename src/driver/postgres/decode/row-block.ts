import { RecurveError } from '../../../error.ts';
import { Source } from './source.ts';

/** Bytes of a block: what is decoded is in the processor's nearest caches. */
export const maxBlockBytes: number = 65_536;

const noPlaces = new Int32Array(0);

/** Where the fields of some rows stand: column by column, each decoded by one loop. */
export class RowBlock {
  readonly source: Source;
  /** Rows of a block at most, once there are many. */
  readonly maxCapacity: number;
  /** Rows that there is room for. */
  capacity = 0;
  /** Of column `c`, row `i`: `places[c * capacity + i]`, where the field starts behind its length; 0 for NULL. */
  places: Int32Array = noPlaces;
  /** NULLs of each column. */
  readonly nullCounts: Int32Array;
  /** Bytes of each column's values; 0 where they differ. */
  readonly #widths: Int32Array;
  readonly #names: readonly string[];
  /** Of a row of a file that is not whole: bytes from its start that are known to be needed. */
  neededBytes = 0;
  /** The end of COPY's rows was read. */
  ended = false;

  /** @param widths See {@link ColumnDecoder.width}. */
  constructor(names: readonly string[], widths: readonly number[]) {
    const count = names.length;
    this.maxCapacity = Math.min(512, Math.max(8, Math.floor(16_384 / Math.max(1, count))));
    this.source = new Source();
    this.nullCounts = new Int32Array(count);
    this.#widths = Int32Array.from(widths);
    this.#names = names;
  }

  /** Before another result; lets go of the bytes. */
  restart(): void {
    this.neededBytes = 0;
    this.ended = false;
    this.source.rowCount = 0;
    this.source.firstRow = 0;
    this.source.use(noBytes);
  }

  /**
   * Fills the block with DataRow or CopyData messages of this type byte; gives the offset of what it did not take. Passes over
   * `skip` bytes of the first one's body.
   */
  takeMessages(type: number, start: number, end: number, maxRows: number, skip: number): number {
    this.#makeRoom(end - start);
    const { source, capacity } = this;
    const { view, starts } = source;
    const limit = Math.min(end, start + maxBlockBytes);
    const rowLimit = Math.min(maxRows, capacity);
    this.nullCounts.fill(0);
    source.rowCount = 0;
    let body = start + 5 + skip;
    let at = start;
    while (source.rowCount < rowLimit && at < limit) {
      if (end - at < 5 || view.getUint8(at) !== type) break;
      const length = view.getInt32(at + 1);
      if (length < 0 || length > end - at - 1) {
        if (length > 0) break;
        throw this.#malformed(source.rowCount, `a message of ${length} bytes`);
      }
      const next = at + 1 + length;
      // A long row is a block of its own.
      if (next > limit && at > start) break;
      if (next - body < 2) {
        if (next !== body || type !== copyDataType) throw this.#malformed(source.rowCount, `${next - body} bytes`);
      } else if (type === copyDataType && view.getInt16(body) === -1 && next - body === 2) {
        this.ended = true;
        return next;
      } else {
        const row = source.rowCount++;
        starts[row] = at;
        const past = this.#takeFields(view, body, next, row);
        if (past !== next) throw this.#misfit(past, next);
      }
      at = next;
      body = at + 5;
    }
    return at;
  }

  /** Fills the block with the bare tuples of a COPY file; gives the offset of what it did not take. */
  takeTuples(start: number, end: number, maxRows: number): number {
    this.#makeRoom(end - start);
    const { source, capacity } = this;
    const { view, starts } = source;
    const limit = Math.min(end, start + maxBlockBytes);
    const rowLimit = Math.min(maxRows, capacity);
    this.nullCounts.fill(0);
    source.rowCount = 0;
    let at = start;
    this.neededBytes = 2;
    while (source.rowCount < rowLimit && at < limit && end - at >= 2) {
      if (view.getInt16(at) === -1) {
        this.ended = true;
        at += 2;
        break;
      }
      starts[source.rowCount] = at;
      const needed = this.#find(view, at, end);
      if (needed > end) {
        this.neededBytes = needed - at;
        break;
      }
      if (needed > limit && at > start) break;
      source.rowCount++;
      this.#takeFields(view, at, needed, source.rowCount - 1);
      at = needed;
    }
    return at;
  }

  /** For as many rows as so many bytes may hold: a result of one row takes little memory. */
  #makeRoom(byteLength: number): void {
    const { maxCapacity } = this;
    if (this.capacity === maxCapacity) return;
    const count = this.#widths.length;
    const wanted = Math.min(maxCapacity, Math.ceil(byteLength / (2 + 4 * count)));
    if (wanted <= this.capacity) return;
    this.capacity = Math.min(maxCapacity, Math.max(4, 2 * wanted));
    this.places = new Int32Array(this.capacity * count);
    this.source.starts = new Int32Array(this.capacity);
  }

  /** Where the tuple at `at` ends; past `end`, what is known of it. */
  #find(view: DataView, at: number, end: number): number {
    let place = at + 2;
    const count = view.getInt16(at);
    for (let i = 0; i < count; i++) {
      if (place + 4 > end) return place + 4;
      const length = view.getInt32(place);
      place += 4;
      if (length > 0) place += length;
    }
    return place;
  }

  /** Finds the fields of a tuple, which starts with their number; gives where they end. Never reads from `next` on. */
  #takeFields(view: DataView, start: number, next: number, row: number): number {
    const widths = this.#widths;
    const { places, capacity } = this;
    const count = view.getInt16(start);
    if (count !== widths.length) throw this.#miscounted(row, count);
    let place = start + 2;
    let slot = row;
    for (let c = 0; c < count; c++, slot += capacity) {
      if (place > next - 4) return next + 1;
      const width = widths[c] ?? 0;
      const length = view.getInt32(place);
      place += 4;
      if (length === width) {
        // Adds what is expected, not what was read: the next field's place does not wait for this one's length.
        places[slot] = place;
        place += width;
      } else if (length >= 0) {
        if (width !== 0 || length > next - place) throw this.#badLength(c, place, next, length);
        places[slot] = place;
        place += length;
      } else {
        if (length !== -1) throw this.#badLength(c, place, next, length);
        places[slot] = 0;
        this.nullCounts[c] = (this.nullCounts[c] ?? 0) + 1;
      }
    }
    return place;
  }

  #badLength(column: number, place: number, next: number, length: number): RecurveError {
    const name = this.#names[column] ?? '';
    const width = this.#widths[column] ?? 0;
    const left = next - place;
    if (length < -1) return this.source.fault(name, place, `a field of ${length} bytes`);
    if (length > left) return this.source.fault(name, place, `a field of ${length} bytes, of the row ${left} are left`);
    return this.source.fault(name, place, `a field of ${length} bytes, its type has ${width}`);
  }

  #misfit(past: number, next: number): RecurveError {
    const row = this.source.rowCount - 1;
    if (past > next) return this.#malformed(row, 'it ends before its last field');
    return this.#malformed(row, `${next - past} bytes behind its last field`);
  }

  #miscounted(row: number, count: number): RecurveError {
    return this.#malformed(row, `${count} fields, of ${this.#widths.length} columns`);
  }

  #malformed(row: number, what: string): RecurveError {
    return new RecurveError('INVALID_DATA', `row ${this.source.firstRow + row}: ${what}`);
  }
}

const noBytes = new Uint8Array(0);
/** `d`, CopyData. */
const copyDataType = 0x64;
