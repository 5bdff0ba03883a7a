import type { DayTime, MonthDayNano } from './column/interval.ts';
import type { Field } from './schema.ts';
import type { DataType } from './type.ts';

// Types only: what the compiler knows of the values of a type, a field or a schema that is written down in the program.

/** Never there: ties a type of Arrow to the JavaScript type of its values, by default options of reading. */
declare const valueType: unique symbol;

/** Something, a type, a field or a schema, whose values are known to be `V`. A field's are rows of it alone. */
export interface Typed<V> {
  readonly [valueType]?: V;
}

/** What `at` gives for values of a type that are not null, where the compiler knows; else unknown. */
export type ValueOf<T> = T extends Typed<infer V> ? V : unknown;

/** Lists come as arrays, or as typed arrays where all values of the child column are numbers or bigints. */
export type ListValue<V> = ArrayLike<V> & Iterable<V>;

/** The rows of a schema that was made by {@link schemaOf}, of a list of fields, or of types by name (nullable). */
export type RowOf<S> = S extends readonly Field[]
  ? Merged<Intersection<ValueOf<S[number]>>>
  : S extends Readonly<Record<string, DataType>>
    ? { [K in keyof S]: ValueOf<S[K]> | null }
    : S extends Typed<infer R>
      ? R
      : Record<string, unknown>;

/** A field as `field(name, type, options)` makes it. */
export type FieldOf<N extends string, T extends DataType, O> = Field &
  Typed<{ [K in N]: ValueOf<T> | (O extends { readonly nullable: false } ? never : null) }>;

/** The value of a field or of a nullable child of a type. */
export type ItemOf<C> = C extends Field ? ValueOf<C>[keyof ValueOf<C>] : ValueOf<C> | null;

/** What a row holds of columns whose types are inferred from JavaScript values; see `inferField`. */
export type RowOfArrays<A> = { [K in keyof A]: A[K] extends ArrayLike<infer V> ? InferredValue<V> : unknown };

/** What a row holds of columns that are inferred from these rows, whose optional properties are null. */
export type RowOfRows<R> = { [K in keyof R]-?: InferredValue<R[K]> };

/** What comes of a JavaScript value whose Arrow type is inferred: a Date as milliseconds, a list maybe as a typed array. */
export type InferredValue<V> = unknown extends V
  ? unknown
  : V extends null | undefined
    ? null
    : V extends Date
      ? bigint
      : V extends number | bigint | boolean | string | Uint8Array
        ? Widened<V>
        : V extends ArrayLike<infer I>
          ? ListValue<InferredValue<I>>
          : V extends object
            ? { [K in keyof V]-?: InferredValue<V[K]> }
            : unknown;

type Widened<V> = V extends number
  ? number
  : V extends bigint
    ? bigint
    : V extends boolean
      ? boolean
      : V extends string
        ? string
        : Uint8Array;

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;

type Merged<T> = { [K in keyof T]: T[K] };

/** The value of an interval of a unit. */
export type IntervalValue<U> = U extends 'year-month' ? number : U extends 'day-time' ? DayTime : MonthDayNano;
