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
}
