/**
 * The guess at the types of columns that come as text. A type is taken only when every value of the column can be had back
 * from it, so that no guess changes one: `007` stays text, and a number of more digits than a double has is no double.
 */
export interface Rung {
  /** DuckDB's name of the type. */
  readonly type: string;
  /** The SQL test of one text that is not NULL, given as an SQL expression: whether the type holds it. */
  test(text: string): string;
}

const matches = (text: string, pattern: string): string => `regexp_full_match(${text}, '${pattern}')`;

const whole = '-?(0|[1-9][0-9]*)';
const plain = `${whole}(\\.[0-9]+)?`;
const date = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
const time = '[0-9]{2}:[0-9]{2}:[0-9]{2}';

/** A type whose texts have one form, and that DuckDB takes. */
const castable = (type: string, pattern: string, and = ''): Rung => ({
  type,
  test: (text) => `(${matches(text, pattern)} and try_cast(${text} as ${type}) is not null${and})`,
});

const integer = (type: string): Rung => ({
  type,
  test: (text) => `(${matches(text, whole)} and ${text} <> '-0' and try_cast(${text} as ${type}) is not null)`,
});

/** The digits of a number that count, without the zeros at both ends. */
const digits = (text: string): string =>
  `trim(regexp_replace(regexp_replace(${text}, '[eE].*$', ''), '[^0-9]', '', 'g'), '0')`;

const double: Rung = {
  type: 'DOUBLE',
  test: (text) => {
    const value = `try_cast(${text} as double)`;
    const exact = `${digits(`${value}::varchar`)} = ${digits(text)}`;
    return `(${matches(text, `${plain}([eE][+-]?[0-9]+)?`)} and isfinite(${value}) and ${exact} or ${matches(text, 'NaN|-?Infinity')})`;
  },
};

/** Decimals of DuckDB's 38 digits: what they hold is exact. */
const decimals: readonly Rung[] = [0, 4, 9, 18, 27, 37].map((scale) => ({
  type: `DECIMAL(38,${scale})`,
  test: (text) => {
    const pattern = `-?(0|[1-9][0-9]{0,${37 - scale}})${scale === 0 ? '' : `(\\.[0-9]{1,${scale}})?`}`;
    return `(${matches(text, pattern)} and ${text} <> '-0')`;
  },
}));

const numbers: readonly Rung[] = [integer('BIGINT'), integer('UBIGINT'), double, ...decimals];

const times: readonly Rung[] = [
  castable('DATE', date),
  castable('TIMESTAMP', `${date}[ T]${time}(\\.[0-9]{1,6})?`),
  castable('TIMESTAMP_NS', `${date}[ T]${time}(\\.[0-9]{1,9})?`),
  castable('TIMESTAMPTZ', `${date}[ T]${time}(\\.[0-9]{1,6})?(Z|[+-][0-9]{2}(:?[0-9]{2})?)`),
  castable('TIME', `([01][0-9]|2[0-3]):[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?`),
];

const boolean: Rung = { type: 'BOOLEAN', test: (text) => `${text} in ('true', 'false')` };

/** The types that the cells of a CSV file are tried for, in this order. */
export const csvRungs: readonly Rung[] = [boolean, ...numbers, ...times];

/**
 * The types that the values of a JSON column are tried for, given as JSON text: by their kind in JSON, so that the text
 * `"1"` is no number.
 */
export const jsonRungs: readonly Rung[] = [
  boolean,
  ...numbers.map(({ type, test }) => ({ type, test: (text: string) => `(${text} not like '"%' and ${test(text)})` })),
  ...times.map(({ type, test }) => ({
    type,
    test: (text: string) => `(${text} like '"%' and ${test(`(${text})[2:-2]`)})`,
  })),
  { type: 'VARCHAR', test: (text) => `${text} like '"%'` },
];

/**
 * The SQL test of JSON text: whether doubles hold every number in it; with `orInteger`, integers of any size will do too.
 */
export function holdsNumbers(json: string, options: { readonly orInteger: boolean }): string {
  const bare = `regexp_replace(${json}, '"([^"\\\\]|\\\\.)*"', '', 'g')`;
  const numbers = `regexp_extract_all(${bare}, '-?[0-9][0-9.eE+-]*')`;
  const test = `${double.test('x')}${options.orInteger ? ` or ${matches('x', whole)}` : ''}`;
  return `coalesce(list_bool_and(list_transform(${numbers}, x -> ${test})), true)`;
}

/** The SQL of whether a test is true for all values of a column; NULL when it has none. */
export function allHold(column: string, test: string): string {
  return `bool_and(${test}) filter (where ${column} is not null)`;
}

/** The rows that are looked at first: what they rule out need not be tried on all. */
const sampleRows = 4096;

/** Runs a statement and gives the values of its one row. */
export type AskRow = (sql: string) => Promise<readonly unknown[]>;

/** The columns of a table that is asked for its types. */
export interface TextTable {
  /** The SQL of the table, as it stands after FROM. */
  readonly relation: string;
  /** SQL expressions that give the columns as text. */
  readonly columns: readonly string[];
  readonly rungs: readonly Rung[];
}

/**
 * The first type of the ladder that holds every value of each column; undefined where none does, and where there are only
 * NULLs. What a sample leaves of the ladder is tried on all rows: its first type, and where that fails the others.
 */
export async function guessTypes(table: TextTable, ask: AskRow): Promise<(string | undefined)[]> {
  const ladders = table.columns.map(() => table.rungs);
  const sample = await climb({ ...table, relation: `(from ${table.relation} limit ${sampleRows})` }, ladders, ask);
  // A sample of nothing but NULLs rules nothing out, and says of nothing that it holds.
  const left = sample.map((answers) => table.rungs.filter((_, r) => answers[r] !== false));
  const isKnown = sample.map((answers) => answers.includes(true));
  const tried = left.map((rungs, i) => (isKnown[i] ? rungs.slice(0, 1) : rungs));
  const all = await climb(table, tried, ask);
  const rest = left.map((rungs, i) => (all[i]?.includes(true) === true ? [] : rungs.slice(tried[i]?.length)));
  const last = await climb(table, rest, ask);
  const find = (rungs: readonly Rung[] | undefined, answers: readonly unknown[] | undefined): string | undefined =>
    rungs?.find((_, r) => answers?.[r] === true)?.type;
  return table.columns.map((_, i) => find(tried[i], all[i]) ?? find(rest[i], last[i]));
}

/** The answers of each column's rungs: true, false, or null when there are only NULLs. */
async function climb(
  { relation, columns }: TextTable,
  ladders: readonly (readonly Rung[])[],
  ask: AskRow,
): Promise<(readonly unknown[])[]> {
  const tests = ladders.flatMap((rungs, i) =>
    rungs.map(({ test }) => allHold(columns[i] ?? '', test(columns[i] ?? ''))),
  );
  const answers = tests.length === 0 ? [] : await ask(`select ${tests.join(', ')} from ${relation}`);
  let at = 0;
  return ladders.map((rungs) => {
    at += rungs.length;
    return answers.slice(at - rungs.length, at);
  });
}
