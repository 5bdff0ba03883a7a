import type { PgType, PgTypes } from './type.ts';

/**
 * The types of `pg_catalog` whose OIDs are fixed (src/include/catalog/pg_type.dat; the same from PostgreSQL 14 to 18), without
 * the row types of catalogs: OID, name, OID of the array of it (0: none). `!` has no binary output, `p` is a pseudo-type,
 * `r` a range and `m` a multirange with the OID of the subtype or the range.
 */
const table = `
16 bool 1000, 17 bytea 1001, 18 char 1002, 19 name 1003, 20 int8 1016, 21 int2 1005, 22 int2vector 1006,
23 int4 1007, 24 regproc 1008, 25 text 1009, 26 oid 1028, 27 tid 1010, 28 xid 1011, 29 cid 1012,
30 oidvector 1013, 32 pg_ddl_command 0 p, 114 json 199, 142 xml 143, 194 pg_node_tree 0,
269! table_am_handler 0 p, 325! index_am_handler 0 p, 600 point 1017, 601 lseg 1018, 602 path 1019,
603 box 1020, 604 polygon 1027, 628 line 629, 650 cidr 651, 700 float4 1021, 701 float8 1022, 705 unknown 0 p,
718 circle 719, 774 macaddr8 775, 790 money 791, 829 macaddr 1040, 869 inet 1041, 1033! aclitem 1034,
1042 bpchar 1014, 1043 varchar 1015, 1082 date 1182, 1083 time 1183, 1114 timestamp 1115, 1184 timestamptz 1185,
1186 interval 1187, 1266 timetz 1270, 1560 bit 1561, 1562 varbit 1563, 1700 numeric 1231, 1790 refcursor 2201,
2202 regprocedure 2207, 2203 regoper 2208, 2204 regoperator 2209, 2205 regclass 2210, 2206 regtype 2211,
2249 record 2287 p, 2275 cstring 1263 p, 2276! any 0 p, 2277 anyarray 0 p, 2278 void 0 p, 2279! trigger 0 p,
2280! language_handler 0 p, 2281! internal 0 p, 2283! anyelement 0 p, 2776! anynonarray 0 p, 2950 uuid 2951,
2970 txid_snapshot 2949, 3115! fdw_handler 0 p, 3220 pg_lsn 3221, 3310! tsm_handler 0 p, 3361 pg_ndistinct 0,
3402 pg_dependencies 0, 3500! anyenum 0 p, 3614 tsvector 3643, 3615 tsquery 3645, 3642! gtsvector 3644,
3734 regconfig 3735, 3769 regdictionary 3770, 3802 jsonb 3807, 3831! anyrange 0 p, 3838! event_trigger 0 p,
3904 int4range 3905 r23, 3906 numrange 3907 r1700, 3908 tsrange 3909 r1114, 3910 tstzrange 3911 r1184,
3912 daterange 3913 r1082, 3926 int8range 3927 r20, 4072 jsonpath 4073, 4089 regnamespace 4090,
4096 regrole 4097, 4191 regcollation 4192, 4451 int4multirange 6150 m3904, 4532 nummultirange 6151 m3906,
4533 tsmultirange 6152 m3908, 4534 tstzmultirange 6153 m3910, 4535 datemultirange 6155 m3912,
4536 int8multirange 6157 m3926, 4537! anymultirange 0 p, 4538! anycompatiblemultirange 0 p,
4600 pg_brin_bloom_summary 0, 4601 pg_brin_minmax_multi_summary 0, 5017 pg_mcv_list 0, 5038 pg_snapshot 5039,
5069 xid8 271, 5077! anycompatible 0 p, 5078 anycompatiblearray 0 p, 5079! anycompatiblenonarray 0 p,
5080! anycompatiblerange 0 p
`;

let byOid: Map<number, PgType> | undefined;

/** The types that every database has: those of `pg_catalog` with their arrays, ranges and multiranges. */
export const builtinTypes: PgTypes = {
  get(oid) {
    byOid ??= readTable();
    return byOid.get(oid);
  },
};

const elements: Readonly<Record<string, number>> = { int2vector: 21, oidvector: 26 };

function readTable(): Map<number, PgType> {
  const types = new Map<number, PgType>();
  const add = (type: Omit<PgType, 'schema'>): void => {
    types.set(type.oid, { ...type, schema: 'pg_catalog' });
  };
  for (const entry of table.trim().split(/,\s+/)) {
    const [id = '', name = '', array = '0', rest = ''] = entry.split(' ');
    const oid = Number.parseInt(id, 10);
    const hasBinary = !id.endsWith('!');
    const element = rest.length > 1 ? Number(rest.slice(1)) : elements[name];
    const kind = rest === '' ? 'base' : rest === 'p' ? 'pseudo' : rest.startsWith('r') ? 'range' : 'multirange';
    add({ oid, name, kind, hasBinary, ...(element !== undefined && { element }) });
    if (array !== '0') add({ oid: Number(array), name: `_${name}`, kind: 'array', hasBinary, element: oid });
  }
  return types;
}

let byName: Map<string, PgType> | undefined;

/** The built-in type of a `typname`. */
export function builtinType(name: string): PgType | undefined {
  if (byName === undefined) {
    byOid ??= readTable();
    byName = new Map([...byOid.values()].map((type) => [type.name, type]));
  }
  return byName.get(name);
}
