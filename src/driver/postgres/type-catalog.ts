import { builtinTypes } from './decode/builtin.ts';
import type { PgType, PgTypes } from './decode/type.ts';

/**
 * The types of a database: PostgreSQL's own, whose OIDs are fixed, and those that were looked up, kept for all its connections;
 * and how many dimensions the arrays of its tables have.
 */
export class TypeCatalog implements PgTypes {
  readonly #known = new Map<number, PgType>();
  readonly #dimensions = new Map<string, number>();
  /** Another one whenever something was looked up. */
  version = 0;

  get(oid: number): PgType | undefined {
    return builtinTypes.get(oid) ?? this.#known.get(oid);
  }

  add(types: Iterable<PgType>): void {
    for (const type of types) this.#known.set(type.oid, type);
    this.version++;
  }

  /** Of an array in a table's column, as it was declared; undefined: not looked up. 0 where nothing was declared. */
  dimensions(tableOid: number, attributeNumber: number): number | undefined {
    return this.#dimensions.get(`${tableOid}.${attributeNumber}`);
  }

  setDimensions(tableOid: number, attributeNumber: number, dimensions: number): void {
    this.#dimensions.set(`${tableOid}.${attributeNumber}`, dimensions);
    this.version++;
  }
}
