import type { TargetType } from './target.ts';

type BuiltinName = keyof typeof oids;

/** OIDs of the types that Arrow's become, and of arrays of them; fixed in every PostgreSQL. */
const oids = {
  bool: [16, 1000, 'boolean'],
  bytea: [17, 1001, 'bytea'],
  int8: [20, 1016, 'bigint'],
  int2: [21, 1005, 'smallint'],
  int4: [23, 1007, 'integer'],
  text: [25, 1009, 'text'],
  json: [114, 199, 'json'],
  float4: [700, 1021, 'real'],
  float8: [701, 1022, 'double precision'],
  date: [1082, 1182, 'date'],
  time: [1083, 1183, 'time without time zone'],
  timestamp: [1114, 1115, 'timestamp without time zone'],
  timestamptz: [1184, 1185, 'timestamp with time zone'],
  interval: [1186, 1187, 'interval'],
  numeric: [1700, 1231, 'numeric'],
  uuid: [2950, 2951, 'uuid'],
  jsonb: [3802, 3807, 'jsonb'],
} as const;

/** A type by its name. */
export function builtin(name: BuiltinName): TargetType {
  const [oid, , text] = oids[name];
  return { oid, name, kind: 'base', typmod: -1, text };
}

/** `numeric` of up to `precision` digits, `scale` of them behind the point. */
export function numericOf(precision: number, scale: number): TargetType {
  const text = `numeric(${precision},${scale})`;
  return { ...builtin('numeric'), typmod: ((precision << 16) | (scale & 0x7ff)) + 4, text };
}

/** The array type of one that {@link builtin} gives. */
export function arrayOf(element: TargetType): TargetType {
  const [, oid] = oids[element.name as BuiltinName];
  return { oid, name: `_${element.name}`, kind: 'array', typmod: element.typmod, text: `${element.text}[]`, element };
}
