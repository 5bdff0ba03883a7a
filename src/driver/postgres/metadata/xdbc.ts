/** How a PostgreSQL type is said in ODBC's numbers (sql.h, sqlext.h), which JDBC and Flight SQL's XdbcDataType share where they have them. */
interface XdbcType {
  readonly oid: number;
  readonly dataType: number;
  /** Decimal digits, or bits with radix 2. */
  readonly size?: number;
  readonly radix?: 2 | 10;
  readonly digits?: number;
}

const char = 1;
const numeric = 2;
const varchar = 12;
const date = 91;
const time = 92;
const timestamp = 93;

/** By OID of the type, a domain's base. A type that is not here is 0, unknown; enums are text. */
const types: readonly XdbcType[] = [
  { oid: 16, dataType: -7, size: 1 },
  { oid: 17, dataType: -3 },
  { oid: 18, dataType: char },
  { oid: 19, dataType: varchar },
  { oid: 20, dataType: -5, size: 64, radix: 2, digits: 0 },
  { oid: 21, dataType: 5, size: 16, radix: 2, digits: 0 },
  { oid: 23, dataType: 4, size: 32, radix: 2, digits: 0 },
  { oid: 25, dataType: varchar },
  { oid: 26, dataType: -5, size: 32, radix: 2, digits: 0 },
  { oid: 114, dataType: varchar },
  { oid: 142, dataType: varchar },
  { oid: 700, dataType: 7, size: 24, radix: 2 },
  { oid: 701, dataType: 8, size: 53, radix: 2 },
  { oid: 790, dataType: 3, size: 19, radix: 10, digits: 2 },
  { oid: 1042, dataType: char },
  { oid: 1043, dataType: varchar },
  { oid: 1082, dataType: date },
  { oid: 1083, dataType: time },
  { oid: 1114, dataType: timestamp },
  { oid: 1184, dataType: timestamp },
  { oid: 1186, dataType: 10 },
  { oid: 1266, dataType: time },
  { oid: 1700, dataType: numeric },
  { oid: 2950, dataType: -11 },
  { oid: 3802, dataType: varchar },
];

/** ODBC's verbose type of dates and times, which `datetime_sub` tells apart. */
const datetime = 9;

/** SQL for the type's own OID: of a domain that of its base. `t` is pg_type, `a` pg_attribute. */
const oid = "CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END";
const typmod = "CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END";
const fraction = `CASE WHEN ${typmod} < 0 THEN 6 ELSE ${typmod} END`;

function caseOf(numberOf: (type: XdbcType) => number | undefined, otherwise: string): string {
  const branches = types.flatMap((type) => {
    const value = numberOf(type);
    return value === undefined ? [] : [`WHEN ${type.oid} THEN ${value}`];
  });
  return `CASE (${oid}) ${branches.join(' ')} ELSE ${otherwise} END`;
}

/** SQL for `xdbc_data_type`. */
export const xdbcDataType: string = `(${caseOf(({ dataType }) => dataType, `CASE WHEN t.typtype = 'e' THEN ${varchar} ELSE 0 END`)})::int2`;

/** SQL for `xdbc_sql_data_type`. */
export const sqlDataType: string = `(${caseOf(({ dataType }) => (dataType >= date ? datetime : dataType), `CASE WHEN t.typtype = 'e' THEN ${varchar} ELSE 0 END`)})::int2`;

/** SQL for `xdbc_datetime_sub`: 1 a date, 2 a time, 3 a timestamp. */
export const datetimeSub: string = `(${caseOf(({ dataType }) => (dataType >= date ? dataType - date + 1 : undefined), 'NULL')})::int2`;

/** SQL for `xdbc_decimal_digits`: the scale of exact numbers, digits behind the second. */
export const decimalDigits: string = `(CASE (${oid})
  WHEN 1700 THEN CASE WHEN ${typmod} < 4 THEN NULL ELSE ((((${typmod}) - 4) & 2047) # 1024) - 1024 END
  WHEN 1083 THEN ${fraction} WHEN 1114 THEN ${fraction} WHEN 1184 THEN ${fraction} WHEN 1266 THEN ${fraction}
  ELSE ${caseOf(({ digits }) => digits, 'NULL')} END)::int2`;

/** SQL for `xdbc_column_size`: digits or bits of numbers by the radix, characters of texts, and of dates and times as ODBC counts them. */
export const columnSize: string = `(CASE (${oid})
  WHEN 1700 THEN CASE WHEN ${typmod} < 4 THEN NULL ELSE (((${typmod}) - 4) >> 16) & 65535 END
  WHEN 1042 THEN CASE WHEN ${typmod} < 4 THEN NULL ELSE (${typmod}) - 4 END
  WHEN 1043 THEN CASE WHEN ${typmod} < 4 THEN NULL ELSE (${typmod}) - 4 END
  WHEN 1082 THEN 10
  WHEN 1083 THEN 8 + ${withPoint()} WHEN 1266 THEN 14 + ${withPoint()}
  WHEN 1114 THEN 19 + ${withPoint()} WHEN 1184 THEN 25 + ${withPoint()}
  ELSE ${caseOf(({ size }) => size, 'NULL')} END)::int4`;

/** SQL for `xdbc_char_octet_length`: of what has a greatest number of characters, at most four bytes each. */
export const octetLength: string = `(CASE WHEN (${oid}) IN (1042, 1043) AND ${typmod} >= 4 THEN 4 * ((${typmod}) - 4) END)::int4`;

/** SQL for `xdbc_num_prec_radix`. */
export const radix: string = `(CASE (${oid}) WHEN 1700 THEN 10 ELSE ${caseOf((type) => type.radix, 'NULL')} END)::int2`;

/** Digits behind the second, with the point before them. */
function withPoint(): string {
  return `CASE ${fraction} WHEN 0 THEN 0 ELSE 1 + ${fraction} END`;
}
