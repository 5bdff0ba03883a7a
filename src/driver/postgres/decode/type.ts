/** What a type of PostgreSQL is: a row of `pg_type`, as far as values need it. */
export interface PgType {
  readonly oid: number;
  /** `typname`, e.g. `int8`. */
  readonly name: string;
  /** `nspname` of its schema. */
  readonly schema: string;
  /** By `typtype`; `array` for those that a value's array is of (`_int4`), not for `int2vector` and `point`. */
  readonly kind: 'base' | 'array' | 'enum' | 'domain' | 'composite' | 'range' | 'multirange' | 'pseudo';
  /** Whether the server can send it, and all that it is made of, in binary (`typsend`). */
  readonly hasBinary: boolean;
  /** OID of an array's element, a range's subtype, a multirange's range, a domain's base. */
  readonly element?: number;
  /** Of a domain: the `typtypmod` of its base. */
  readonly typmod?: number;
  /** Of a domain over an array: `typndims`. */
  readonly dimensions?: number;
  /** Of a composite type, those that are not dropped, in order. */
  readonly attributes?: readonly PgAttribute[];
  /** Of an enum, in order. */
  readonly labels?: readonly string[];
}

/** A member of a composite type: a row of `pg_attribute`. */
export interface PgAttribute {
  readonly name: string;
  readonly oid: number;
  readonly typmod: number;
  /** `attndims` of an array. Default 1. */
  readonly dimensions?: number;
}

/** Types by their OIDs. */
export interface PgTypes {
  get(oid: number): PgType | undefined;
}

/** A result column as RowDescription gives it. */
export interface PgColumn {
  readonly name: string;
  /** Of its type. */
  readonly oid: number;
  readonly typmod: number;
  /** 0 text, 1 binary. */
  readonly format: 0 | 1;
  /** The table that it comes from, 0 where it is computed. */
  readonly tableOid?: number;
  readonly attributeNumber?: number;
  /** Of an array: `attndims`, which is not in RowDescription. Default: the option `arrayDimensions`. */
  readonly dimensions?: number;
}
