import type { DataType, IntType } from '../../../arrow/type.ts';
import type { WriterName } from './type-writer.ts';

/** How the bytes of a type are read, where that depends on nothing else, and the Arrow type that they become. */
export type PlainForm = WrittenForm | BytesForm;

interface WrittenForm {
  /** The text that is made of the bytes. */
  readonly kind: 'written';
  readonly type: DataType;
  readonly extension?: 'opaque';
  readonly writer: WriterName;
}

interface BytesForm {
  /**
   * `fixed`: Arrow's bytes in the other order. `text`: the bytes; `versioned`: behind a byte of version.
   * `raw`: bytes that mean nothing here.
   */
  readonly kind:
    | 'fixed'
    | 'bool'
    | 'date'
    | 'time'
    | 'timestamp'
    | 'interval'
    | 'text'
    | 'versioned'
    | 'raw'
    | 'point'
    | 'hstore'
    | 'vector';
  readonly type: DataType;
  readonly extension?: 'json' | 'uuid' | 'opaque';
}

const utf8: DataType = { kind: 'utf8', large: false };
const binary: DataType = { kind: 'binary', large: false };

function int(bitWidth: IntType['bitWidth'], signed: boolean): PlainForm {
  return { kind: 'fixed', type: { kind: 'int', bitWidth, signed } };
}

function float(bitWidth: 16 | 32 | 64): PlainForm {
  return { kind: 'fixed', type: { kind: 'float', bitWidth } };
}

const text: PlainForm = { kind: 'text', type: utf8 };
const opaqueText: PlainForm = { kind: 'text', type: utf8, extension: 'opaque' };
/** Text that is made here of the bytes, as the server prints it. */
function written(writer: WriterName): PlainForm {
  return { kind: 'written', type: utf8, extension: 'opaque', writer };
}

const opaqueBytes: PlainForm = { kind: 'text', type: binary, extension: 'opaque' };
const uint32 = int(32, false);

/** Types of `pg_catalog` by their names; those that are missing are of unknown form, such as pseudo-types. */
export const builtinForms: Readonly<Record<string, PlainForm>> = {
  bool: { kind: 'bool', type: { kind: 'bool' } },
  int2: int(16, true),
  int4: int(32, true),
  int8: int(64, true),
  float4: float(32),
  float8: float(64),
  oid: uint32,
  xid: uint32,
  cid: uint32,
  regproc: uint32,
  regprocedure: uint32,
  regoper: uint32,
  regoperator: uint32,
  regclass: uint32,
  regtype: uint32,
  regconfig: uint32,
  regdictionary: uint32,
  regnamespace: uint32,
  regrole: uint32,
  regcollation: uint32,
  xid8: int(64, false),
  pg_lsn: int(64, false),
  text,
  varchar: text,
  bpchar: text,
  name: text,
  char: { kind: 'written', type: utf8, writer: 'char' },
  unknown: text,
  cstring: text,
  refcursor: text,
  void: text,
  xml: opaqueText,
  pg_node_tree: opaqueText,
  pg_ddl_command: { kind: 'raw', type: binary },
  json: { kind: 'text', type: utf8, extension: 'json' },
  jsonb: { kind: 'versioned', type: utf8, extension: 'json' },
  jsonpath: { kind: 'versioned', type: utf8, extension: 'opaque' },
  bytea: { kind: 'text', type: binary },
  pg_ndistinct: opaqueBytes,
  pg_dependencies: opaqueBytes,
  pg_mcv_list: opaqueBytes,
  pg_brin_bloom_summary: opaqueBytes,
  pg_brin_minmax_multi_summary: opaqueBytes,
  uuid: { kind: 'fixed', type: { kind: 'fixed-size-binary', byteWidth: 16 }, extension: 'uuid' },
  date: { kind: 'date', type: { kind: 'date', unit: 'day' } },
  time: { kind: 'time', type: { kind: 'time', unit: 'us' } },
  timestamp: { kind: 'timestamp', type: { kind: 'timestamp', unit: 'us', timezone: null } },
  timestamptz: { kind: 'timestamp', type: { kind: 'timestamp', unit: 'us', timezone: 'UTC' } },
  interval: { kind: 'interval', type: { kind: 'interval', unit: 'month-day-nano' } },
  point: { kind: 'point', type: { kind: 'null' } },
  timetz: written('timetz'),
  inet: written('inet'),
  cidr: written('inet'),
  macaddr: written('macaddr'),
  macaddr8: written('macaddr'),
  bit: written('bit'),
  varbit: written('bit'),
  tid: written('tid'),
  line: written('line'),
  lseg: written('lseg'),
  box: written('box'),
  path: written('path'),
  polygon: written('polygon'),
  circle: written('circle'),
  tsvector: written('tsvector'),
  tsquery: written('tsquery'),
  pg_snapshot: written('pg_snapshot'),
  txid_snapshot: written('pg_snapshot'),
};

/** Types of extensions by their names, in whatever schema: hstore, citext, ltree, pgvector. */
export const extensionForms: Readonly<Record<string, PlainForm>> = {
  hstore: { kind: 'hstore', type: { kind: 'null' } },
  citext: text,
  ltree: { kind: 'versioned', type: utf8, extension: 'opaque' },
  lquery: { kind: 'versioned', type: utf8, extension: 'opaque' },
  ltxtquery: { kind: 'versioned', type: utf8, extension: 'opaque' },
  vector: { kind: 'vector', type: { kind: 'float', bitWidth: 32 } },
  halfvec: { kind: 'vector', type: { kind: 'float', bitWidth: 16 } },
};
