import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { Child } from './child.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Finds the values of the struct at `place`, which ends at `end`, one for each child, and checks that they fill it. */
type FindMembers = (source: Source, place: number, end: number, children: readonly Child[], path: string) => void;

/** Composite types. A NULL's members are NULL. */
export class StructDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #children: readonly Child[];
  readonly #find: FindMembers;
  readonly #validity: Validity = new Validity();

  constructor(context: DecoderContext, children: readonly Child[], find: FindMembers) {
    this.#context = context;
    this.#children = children;
    this.#find = find;
  }

  get byteLength(): number {
    let byteLength = this.#validity.byteLength;
    for (const { decoder } of this.#children) byteLength += decoder.byteLength;
    return byteLength;
  }

  begin(rowCount: number): void {
    for (const child of this.#children) child.begin(rowCount);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const children = this.#children;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place === 0) for (const child of children) child.addNull();
      else this.#find(source, place, place + source.view.getInt32(place - 4), children, this.#context.path);
    }
    this.#validity.append(places, first, count, nullCount);
    for (const child of children) child.flush(source);
  }

  finish(): Column {
    const { field } = this.#context;
    const rowCount = this.#validity.length;
    const children = this.#children.map((child) => child.finish(rowCount));
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), children });
  }
}

/** Of a composite (utils/adt/rowtypes.c, `record_send`): int32 count, then for each its OID and a field. */
export function attributeFinder(oids: readonly number[]): FindMembers {
  return (source, place, end, children, path) => {
    const { view } = source;
    const count = end - place < 4 ? -1 : view.getInt32(place);
    if (count !== children.length) {
      const hint = 'was the type altered after the statement was prepared?';
      throw source.fault(path, place, `a composite of ${count} members, its type has ${children.length}`, hint);
    }
    let at = place + 4;
    for (let i = 0; i < children.length; i++) {
      const oid = end - at < 4 ? 0 : view.getUint32(at);
      if (oid !== oids[i]) throw source.fault(path, at, `member ${i + 1} is of type ${oid}, not ${oids[i]}`);
      at = children[i]?.add(source, at + 4, end) ?? end;
    }
    if (at !== end) throw source.fault(path, at, `${end - at} bytes behind a composite`);
  };
}

/** Of a point: x and y as float8. */
export function findCoordinates(
  source: Source,
  place: number,
  end: number,
  children: readonly Child[],
  path: string,
): void {
  if (end - place !== 16) throw source.fault(path, place, `a point of ${end - place} bytes`);
  children[0]?.addAt(place);
  children[1]?.addAt(place + 8);
}
