/** What a value is written for: a type of PostgreSQL, as its catalog has it. */
export interface TargetType {
  readonly oid: number;
  /** `typname`, e.g. `int8`. */
  readonly name: string;
  readonly kind: 'base' | 'array' | 'enum' | 'domain' | 'composite' | 'range' | 'multirange' | 'pseudo';
  /** −1 for none: see `atttypmod`. */
  readonly typmod: number;
  /** As SQL writes it, with the typmod, e.g. `numeric(12,2)`. */
  readonly text: string;
  /** Of an array its elements, of a domain what it is made of. */
  readonly element?: TargetType | undefined;
  /** Of a composite type, in order. */
  readonly members?: readonly TargetMember[] | undefined;
}

/** A member of a composite type. */
export interface TargetMember {
  readonly name: string;
  readonly type: TargetType;
}

/** The scale that a column of `numeric` has; undefined where it takes any. */
export function numericScale({ typmod }: TargetType): number | undefined {
  // The lower 11 bits, signed, behind the 4 bytes that every typmod of variable width has.
  return typmod < 4 ? undefined : (((typmod - 4) & 0x7ff) ^ 0x400) - 0x400;
}
