import { RecurveError } from '../../../error.ts';
import { builtinType } from './builtin.ts';
import type { PgType, PgTypes } from './type.ts';

/** What a type's text says: see {@link parseType}. */
export interface TypeReference {
  readonly oid: number;
  readonly typmod: number;
  /** Of an array: as many as there are brackets. */
  readonly dimensions?: number;
}

/** The number of digits before and behind the point that a numeric's typmod declares; undefined for none. */
export function numericShape(typmod: number): { readonly precision: number; readonly scale: number } | undefined {
  if (typmod < 4) return undefined;
  return { precision: ((typmod - 4) >> 16) & 0xffff, scale: ((typmod - 4) << 21) >> 21 };
}

/** Types whose typmod is a length plus four, and those whose typmod is the number itself. */
const lengthTypes: ReadonlySet<string> = new Set(['varchar', 'bpchar']);
const countTypes: ReadonlySet<string> = new Set([
  'bit',
  'varbit',
  'time',
  'timetz',
  'timestamp',
  'timestamptz',
  'vector',
]);

/**
 * A type as SQL takes it, by its `typname`: `numeric(12,2)`, `int4[]`, `public.mood`; an array has as many brackets as
 * dimensions.
 */
export function typeText(type: PgType, typmod: number, types: PgTypes, dimensions = 1): string {
  if (type.kind === 'array') {
    const element = types.get(type.element ?? 0);
    return `${element === undefined ? type.name : typeText(element, typmod, types)}${'[]'.repeat(dimensions)}`;
  }
  const name = type.name === 'char' ? '"char"' : quoted(type.name);
  return `${type.schema === 'pg_catalog' ? '' : `${quoted(type.schema)}.`}${name}${typmodText(type.name, typmod)}`;
}

function typmodText(name: string, typmod: number): string {
  if (typmod < 0) return '';
  if (name === 'numeric') {
    const shape = numericShape(typmod);
    return shape === undefined ? '' : `(${shape.precision},${shape.scale})`;
  }
  if (lengthTypes.has(name)) return `(${typmod - 4})`;
  return countTypes.has(name) ? `(${typmod})` : '';
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** SQL's names of built-in types that are not their `typname`. */
const spellings: Readonly<Record<string, string>> = {
  bigint: 'int8',
  boolean: 'bool',
  character: 'bpchar',
  'character varying': 'varchar',
  char: 'bpchar',
  '"char"': 'char',
  'bit varying': 'varbit',
  '"bit"': 'bit',
  dec: 'numeric',
  decimal: 'numeric',
  'double precision': 'float8',
  float: 'float8',
  int: 'int4',
  integer: 'int4',
  real: 'float4',
  smallint: 'int2',
  serial: 'int4',
  bigserial: 'int8',
  smallserial: 'int2',
  'time with time zone': 'timetz',
  'time without time zone': 'time',
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
};

const typePattern =
  /^(.+?)\s*(?:\(\s*(-?\d+)\s*(?:,\s*(-?\d+)\s*)?\))?(\s+with(?:out)? time zone)?\s*((?:\[\d*\]\s*)*)$/i;

/**
 * Reads the text of a type, by SQL's names or `typname`s: `numeric(12,2)`, `text[]`, `timestamp(3) with time zone`. `find`
 * gives types that are not built in. Throws INVALID_ARGUMENT for what is no type.
 */
export function parseType(text: string, find: (name: string) => PgType | undefined): TypeReference {
  const [, base = '', first, second, zone = '', brackets = ''] = typePattern.exec(text.trim()) ?? [];
  const written = `${base}${zone}`.replace(/\s+/g, ' ').trim();
  const name = spellings[written.toLowerCase()] ?? written;
  const type = find(name) ?? builtinType(name) ?? builtinType(name.toLowerCase());
  if (type === undefined) throw noType(text, `no type ${JSON.stringify(written)} is known`);
  const isChar = name === 'bpchar' && written !== 'bpchar';
  const typmod = readTypmod(text, type.name, first ?? (isChar ? '1' : undefined), second);
  const dimensions = brackets.split('[').length - 1;
  if (dimensions === 0) return { oid: type.oid, typmod };
  const array = find(`_${type.name}`) ?? builtinType(`_${type.name}`);
  if (array === undefined) throw noType(text, `no array of ${type.name} is known`);
  return { oid: array.oid, typmod, dimensions };
}

function readTypmod(text: string, name: string, first: string | undefined, second: string | undefined): number {
  if (first === undefined) return -1;
  const [value, scale] = [Number(first), Number(second ?? 0)];
  if (name === 'numeric') {
    if (!(value >= 1 && value <= 1000 && Math.abs(scale) <= 1000)) {
      throw noType(text, `its precision is from 1 to 1000, its scale from -1000 to 1000`);
    }
    return ((value << 16) | (scale & 0x7ff)) + 4;
  }
  if (second !== undefined) throw noType(text, `${name} takes one number`);
  if (lengthTypes.has(name)) return value + 4;
  if (name === 'float8') return -1;
  if (countTypes.has(name)) return value;
  throw noType(text, `${name} takes no number`);
}

function noType(text: string, why: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `${JSON.stringify(text)} is no type of PostgreSQL: ${why}`, {
    hint: 'write it as SQL does, such as numeric(12,2), text[] or timestamptz',
  });
}
