import { getBit } from '../../arrow/bitmap.ts';
import type { UnionColumn } from '../../arrow/column/union.ts';
import type { Column, Values } from '../../arrow/column.ts';
import { Field } from '../../arrow/schema.ts';
import {
  byteWidth,
  type DataType,
  type DictionaryType,
  type RunEndEncodedType,
  type UnionType,
} from '../../arrow/type.ts';
import { findFloatDifference, floatReader } from './compare-float.ts';
import { type BytesReader, bytesReader, runReader, spanReader } from './place.ts';

/**
 * Compares columns value by value and remembers where the first difference is. Its methods return the place of that,
 * counted from the start of the range, or −1. What lies under a null is never looked at.
 */
export class ColumnComparison {
  /** The children that lead from the column to the difference. */
  readonly path: string[] = [];
  /** The difference in words. */
  what = '';
  readonly #dictionaries: 'whole' | 'used';
  /** Dictionaries that were found equal to the one that the key is. */
  readonly #same = new Map<Column, Column>();

  constructor(dictionaries: 'whole' | 'used') {
    this.#dictionaries = dictionaries;
  }

  /** Compares `count` values of `expected` from `e` on with those of `actual` from `a` on. */
  find(field: Field, expected: Column, e: number, actual: Column, a: number, count: number): number {
    if (e + count > expected.length || a + count > actual.length) {
      return this.#differ(
        0,
        `${a + count} values are wanted of ${actual.length}, ${e + count} of the JSON's ${expected.length}`,
      );
    }
    const { type } = field;
    if (type.kind === 'run-end-encoded') return this.#findInRuns(type, expected, e, actual, a, count);
    for (let from = 0; from < count; ) {
      const valid = expected.isValid(e + from);
      let to = from;
      for (; to < count && expected.isValid(e + to) === valid; to++) {
        if (actual.isValid(a + to) !== valid) {
          return this.#differ(to, valid ? 'null instead of a value' : 'a value instead of null');
        }
      }
      const at = valid ? this.#findInValues(field, expected, e + from, actual, a + from, to - from) : -1;
      if (at >= 0) return from + at;
      from = to;
    }
    return -1;
  }

  /** As `find`, where no value is null. */
  #findInValues(field: Field, expected: Column, e: number, actual: Column, a: number, count: number): number {
    const { type } = field;
    switch (type.kind) {
      case 'bool':
        return this.#findBit(expected, e, actual, a, count);
      case 'float':
        return this.#findFloat(type.bitWidth, expected, e, actual, a, count);
      case 'utf8':
      case 'binary':
      case 'utf8-view':
      case 'binary-view':
        return this.#findBytes(bytesReader(expected), e, bytesReader(actual), a, count);
      case 'struct':
        return this.#findInChildren(type.children, expected, e, actual, a, count);
      case 'fixed-size-list': {
        const { listSize: size, child } = type;
        const at = this.#findInChild(child, 0, expected, e * size, actual, a * size, count * size);
        return at < 0 ? at : Math.floor(at / size);
      }
      case 'list':
      case 'map':
      case 'list-view':
        return this.#findInLists(type, expected, e, actual, a, count);
      case 'union':
        return this.#findInUnion(type, expected as UnionColumn, e, actual as UnionColumn, a, count);
      case 'dictionary':
        return this.#findInDictionary(type, field.name, expected, e, actual, a, count);
      default:
        return this.#findFixed(type, expected, e, actual, a, count);
    }
  }

  #findBit(expected: Column, e: number, actual: Column, a: number, count: number): number {
    const [wanted, found] = [expected.layout.values as Uint8Array, actual.layout.values as Uint8Array];
    for (let i = 0; i < count; i++) {
      const bit = getBit(wanted, expected.bitOffset + e + i);
      if (getBit(found, actual.bitOffset + a + i) !== bit) return this.#differ(i, `${!bit} instead of ${bit}`);
    }
    return -1;
  }

  #findFloat(bitWidth: 16 | 32 | 64, expected: Column, e: number, actual: Column, a: number, count: number): number {
    const at = findFloatDifference(bitWidth, expected, e, actual, a, count);
    if (at < 0) return at;
    return this.#differ(at, `${floatReader(actual)(a + at)} instead of ${floatReader(expected)(e + at)}`);
  }

  #findBytes(expected: BytesReader, e: number, actual: BytesReader, a: number, count: number): number {
    for (let i = 0; i < count; i++) {
      const [wanted, found] = [expected(e + i), actual(a + i)];
      if (Buffer.compare(wanted, found) !== 0) return this.#differ(i, `bytes ${hex(found)} instead of ${hex(wanted)}`);
    }
    return -1;
  }

  /** Values of one width, by their bits. */
  #findFixed(type: DataType, expected: Column, e: number, actual: Column, a: number, count: number): number {
    const width = byteWidth(type) ?? 0;
    const [wanted, found] = [bytesOf(expected.layout.values), bytesOf(actual.layout.values)];
    if (Buffer.compare(part(wanted, e, count, width), part(found, a, count, width)) === 0) return -1;
    for (let i = 0; i < count; i++) {
      const [one, other] = [part(wanted, e + i, 1, width), part(found, a + i, 1, width)];
      if (Buffer.compare(one, other) === 0) continue;
      return this.#differ(i, `${describe(actual, a + i, other)} instead of ${describe(expected, e + i, one)}`);
    }
    return this.#differ(0, 'another number of bytes');
  }

  #findInChildren(
    fields: readonly Field[],
    expected: Column,
    e: number,
    actual: Column,
    a: number,
    count: number,
  ): number {
    for (const [i, field] of fields.entries()) {
      const at = this.#findInChild(field, i, expected, e, actual, a, count);
      if (at >= 0) return at;
    }
    return -1;
  }

  #findInChild(field: Field, i: number, expected: Column, e: number, actual: Column, a: number, count: number): number {
    const [wanted, found] = [expected.layout.children?.[i], actual.layout.children?.[i]];
    if (wanted === undefined || found === undefined) return this.#differ(0, `child ${i} is missing`);
    const at = this.find(field, wanted, e, found, a, count);
    if (at >= 0) this.path.unshift(JSON.stringify(field.name));
    return at;
  }

  #findInLists(
    { child }: { readonly child: Field },
    expected: Column,
    e: number,
    actual: Column,
    a: number,
    count: number,
  ): number {
    const [wanted, found] = [spanReader(expected), spanReader(actual)];
    for (let i = 0; i < count; i++) {
      const [start, end] = wanted(e + i);
      const [actualStart, actualEnd] = found(a + i);
      if (actualEnd - actualStart !== end - start) {
        return this.#differ(i, `a list of ${actualEnd - actualStart} values instead of ${end - start}`);
      }
      if (this.#findInChild(child, 0, expected, start, actual, actualStart, end - start) >= 0) return i;
    }
    return -1;
  }

  #findInUnion(
    type: UnionType,
    expected: UnionColumn,
    e: number,
    actual: UnionColumn,
    a: number,
    count: number,
  ): number {
    for (let i = 0; i < count; i++) {
      const [wanted, found] = [expected.typeIds[e + i], actual.typeIds[a + i]];
      if (wanted !== found) return this.#differ(i, `type id ${found} instead of ${wanted}`);
      const child = expected.childAt(e + i);
      const field = type.children[child];
      if (field === undefined) return this.#differ(i, `type id ${wanted} is none of the type's`);
      const [from, actualFrom] = [expected.position(e + i), actual.position(a + i)];
      if (this.#findInChild(field, child, expected, from, actual, actualFrom, 1) >= 0) return i;
    }
    return -1;
  }

  /** Run by run: where runs end is not compared, but which value each row has. */
  #findInRuns(type: RunEndEncodedType, expected: Column, e: number, actual: Column, a: number, count: number): number {
    const [wanted, found] = [runReader(expected), runReader(actual)];
    for (let i = 0; i < count; ) {
      const [run, rest] = wanted(e + i);
      const [actualRun, actualRest] = found(a + i);
      if (this.#findInChild(type.values, 1, expected, run, actual, actualRun, 1) >= 0) return i;
      i += Math.min(rest, actualRest);
    }
    return -1;
  }

  #findInDictionary(
    type: DictionaryType,
    name: string,
    expected: Column,
    e: number,
    actual: Column,
    a: number,
    count: number,
  ): number {
    const [wanted, found] = [expected.layout.dictionary, actual.layout.dictionary];
    if (wanted === undefined || found === undefined) return this.#differ(0, 'there is no dictionary');
    const field = new Field(name, type.value);
    if (this.#dictionaries === 'whole') {
      if (found.length !== wanted.length) {
        return this.#differ(0, `a dictionary of ${found.length} values instead of ${wanted.length}`);
      }
      if (this.#same.get(wanted) !== found) {
        const at = this.find(field, wanted, 0, found, 0, wanted.length);
        if (at >= 0) return this.#differ(0, `at place ${at} of the dictionary ${this.what}`);
        this.#same.set(wanted, found);
      }
      return this.#findFixed(type, expected, e, actual, a, count);
    }
    for (let i = 0; i < count; i++) {
      const [place, actualPlace] = [indexAt(expected, e + i), indexAt(actual, a + i)];
      if (this.find(field, wanted, place, found, actualPlace, 1) >= 0) return i;
    }
    return -1;
  }

  #differ(at: number, what: string): number {
    this.what = what;
    return at;
  }
}

function indexAt({ layout }: Column, index: number): number {
  return Number((layout.values as ArrayLike<number | bigint>)[index]);
}

function bytesOf(view: Values | undefined): Uint8Array {
  return view === undefined ? new Uint8Array(0) : new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function part(bytes: Uint8Array, first: number, count: number, width: number): Uint8Array {
  return bytes.subarray(first * width, (first + count) * width);
}

/** A value for a message: as text where it has one, else its bytes. */
function describe(column: Column, index: number, bytes: Uint8Array): string {
  const value = column.type.kind === 'dictionary' ? `index ${indexAt(column, index)}` : column.at(index);
  return typeof value === 'object' ? hex(bytes) : String(value);
}

const maxShownBytes = 32;

function hex(bytes: Uint8Array): string {
  const shown = Buffer.from(bytes.subarray(0, maxShownBytes)).toString('hex');
  return `0x${shown}${bytes.length > maxShownBytes ? `… (${bytes.length} bytes)` : ''}`;
}
