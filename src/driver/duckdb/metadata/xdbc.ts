/** How a DuckDB type is said in ODBC's numbers (sql.h, sqlext.h), which JDBC and Flight SQL's XdbcDataType share where they have them. */
interface XdbcType {
  /** DuckDB's name, or a LIKE pattern where it has parameters. */
  readonly name: string;
  readonly dataType: number;
  /** Of integers for which DuckDB's catalog gives no precision. */
  readonly bits?: number;
  /** Digits behind the second, of dates and times. */
  readonly fraction?: number;
}

const bit = -7;
const varchar = 12;
const date = 91;
const time = 92;
const timestamp = 93;

/** An unsigned type has its signed sibling's number: in ODBC that is an attribute. A type that is not here is 0, unknown. */
const types: readonly XdbcType[] = [
  { name: 'BOOLEAN', dataType: bit },
  { name: 'TINYINT', dataType: -6 },
  { name: 'UTINYINT', dataType: -6, bits: 8 },
  { name: 'SMALLINT', dataType: 5 },
  { name: 'USMALLINT', dataType: 5, bits: 16 },
  { name: 'INTEGER', dataType: 4 },
  { name: 'UINTEGER', dataType: 4, bits: 32 },
  { name: 'BIGINT', dataType: -5 },
  { name: 'UBIGINT', dataType: -5, bits: 64 },
  { name: 'HUGEINT', dataType: 2, bits: 128 },
  { name: 'UHUGEINT', dataType: 2, bits: 128 },
  { name: 'BIGNUM', dataType: 2 },
  { name: 'DECIMAL(%)', dataType: 3 },
  { name: 'FLOAT', dataType: 7 },
  { name: 'DOUBLE', dataType: 8 },
  { name: 'VARCHAR', dataType: varchar },
  { name: 'JSON', dataType: varchar },
  { name: 'ENUM(%)', dataType: varchar },
  { name: 'BLOB', dataType: -3 },
  { name: 'UUID', dataType: -11 },
  { name: 'INTERVAL', dataType: 10 },
  { name: 'DATE', dataType: date },
  { name: 'TIME', dataType: time, fraction: 6 },
  { name: 'TIME_NS', dataType: time, fraction: 9 },
  { name: 'TIME WITH TIME ZONE', dataType: time, fraction: 6 },
  { name: 'TIMESTAMP_S', dataType: timestamp, fraction: 0 },
  { name: 'TIMESTAMP_MS', dataType: timestamp, fraction: 3 },
  { name: 'TIMESTAMP', dataType: timestamp, fraction: 6 },
  { name: 'TIMESTAMP_NS', dataType: timestamp, fraction: 9 },
  { name: 'TIMESTAMP WITH TIME ZONE', dataType: timestamp, fraction: 6 },
];

/** ODBC's verbose type of dates and times, which `datetime_sub` tells apart. */
const datetime = 9;

/** A CASE over `data_type`, null or `otherwise` for types without a value. */
function caseOf(numberOf: (type: XdbcType) => number | undefined, otherwise: string): string {
  const branches = types.flatMap((type) => {
    const value = numberOf(type);
    const test = type.name.includes('%') ? `LIKE '${type.name}'` : `= '${type.name}'`;
    return value === undefined ? [] : [`WHEN data_type ${test} THEN ${value}`];
  });
  return `CASE ${branches.join(' ')} ELSE ${otherwise} END`;
}

/** SQL for `xdbc_data_type`. */
export const xdbcDataType: string = `(${caseOf(({ dataType }) => dataType, '0')})::SMALLINT`;

/** SQL for `xdbc_sql_data_type`. */
export const sqlDataType: string = `(${caseOf(({ dataType }) => (dataType >= date ? datetime : dataType), '0')})::SMALLINT`;

/** SQL for `xdbc_datetime_sub`: 1 a date, 2 a time, 3 a timestamp. */
export const datetimeSub: string = `(${caseOf(({ dataType }) => (dataType >= date ? dataType - date + 1 : undefined), 'NULL')})::SMALLINT`;

/** SQL for `xdbc_decimal_digits`: the scale of exact numbers, digits behind the second. */
export const decimalDigits: string = `(${caseOf(({ bits, fraction }) => (bits === undefined ? fraction : 0), "CASE WHEN data_type IN ('FLOAT', 'DOUBLE') THEN NULL ELSE numeric_scale END")})::SMALLINT`;

/** SQL for `xdbc_column_size`: digits or bits of numbers by the radix, characters of dates and times as ODBC counts them. */
export const columnSize: string = `(${caseOf(({ dataType, bits, fraction = 0 }) => {
  if (dataType === date) return 10;
  if (dataType === time) return 9 + fraction;
  if (dataType === timestamp) return fraction === 0 ? 19 : 20 + fraction;
  return bits;
}, 'coalesce(numeric_precision, character_maximum_length)')})::INTEGER`;

/** SQL for `xdbc_num_prec_radix`. */
export const radix: string = `(${caseOf(({ bits }) => (bits === undefined ? undefined : 2), 'numeric_precision_radix')})::SMALLINT`;
