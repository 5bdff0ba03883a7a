import { quoteIdentifier, quoteText } from '../../driver/duckdb/quote.ts';
import { RecurveError } from '../../error.ts';
import type { Asking } from './asking.ts';
import { allHold, guessTypes, holdsNumbers, jsonRungs } from './guess.ts';

/**
 * The statement that reads a file of JSON objects, one after the other (`newline_delimited`) or in an array.
 *
 * Columns stand in the order in which their names are met. A column of objects or arrays gets the type that DuckDB finds in
 * all of them when that holds their numbers; a mixed one, and what no type holds, stays JSON. Throws INVALID_DATA for
 * what DuckDB's reader would change: a number of more digits than a double has, and keys that differ in case only.
 */
export async function selectJson(ask: Asking, form: 'array' | 'newline_delimited'): Promise<string> {
  await checkNumbers(ask, form);
  const options = `format = '${form}', records = true`;
  const detection = 'sample_size = -1, maximum_depth = -1, map_inference_threshold = -1';
  const found = await ask.describe(`read_json(${ask.path}, ${options}, ${detection})`);
  await checkKeys(
    ask,
    form,
    found.map(({ name }) => name),
  );
  const read = (typeOf: (i: number) => string): string => {
    const columns = found.map(({ name }, i) => `${quoteText(name)}: ${quoteText(typeOf(i))}`);
    return `read_json(${ask.path}, ${options}, columns = {${columns.join(', ')}})`;
  };
  const relation = read(() => 'JSON');
  const texts = found.map(({ name }) => `${quoteIdentifier(name)}::varchar`);
  const guesses = await guessTypes({ relation, columns: texts, rungs: jsonRungs }, (sql) => ask.row(sql));
  const types = found.map(({ type }, i) => guesses[i] ?? (isNested(type) ? plainStrings(type) : undefined));
  const guarded = types.flatMap((type, i) => (guesses[i] === undefined && type?.includes('DOUBLE') ? [i] : []));
  const tests = guarded.map((i) => allHold(texts[i] ?? '', holdsNumbers(texts[i] ?? '', { orInteger: false })));
  const answers = tests.length === 0 ? [] : await ask.row(`select ${tests.join(', ')} from ${relation}`);
  guarded.forEach((i, k) => {
    if (answers[k] === false) types[i] = undefined;
  });
  // DuckDB's JSON reader takes decimals by way of doubles; their text it casts exactly.
  const isDecimal = (i: number): boolean => types[i]?.startsWith('DECIMAL') === true;
  const selected = found.map(({ name }, i) =>
    isDecimal(i) ? `cast(${texts[i]} as ${types[i]}) as ${quoteIdentifier(name)}` : quoteIdentifier(name),
  );
  return `select ${selected.join(', ')} from ${read((i) => (isDecimal(i) ? 'JSON' : (types[i] ?? 'JSON')))}`;
}

/** DuckDB keeps the digits of integers, and rounds all other numbers to doubles. */
async function checkNumbers(ask: Asking, form: string): Promise<void> {
  const objects = `read_json_objects(${ask.path}, format = '${form}')`;
  const suspected = `regexp_matches(json::varchar, '[0-9][0-9.]{15}')`;
  const kept = holdsNumbers('json::varchar', { orInteger: true });
  const [json] = await ask.row(`select json::varchar from ${objects} where ${suspected} and not ${kept} limit 1`);
  if (typeof json !== 'string') return;
  const bare = json.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?|-?\d[\d.eE+-]*/g);
  let key = '';
  for (const [text, name, colon] of bare) {
    if (colon !== undefined) key = name ?? '';
    else if (name === undefined && !isExact(text)) {
      throw new RecurveError('INVALID_DATA', `column "${key}": a double cannot hold the number ${text}`, {
        hint: 'write such numbers as text, in quotes',
      });
    }
  }
}

function isExact(text: string): boolean {
  const digits = (number: string): string =>
    number
      .replace(/e.*$/i, '')
      .replaceAll(/\D/g, '')
      .replaceAll(/^0+|0+$/g, '');
  return /^-?\d+$/.test(text) || digits(String(Number(text))) === digits(text);
}

/** DuckDB takes `a` and `A` for one name, calls one of them `A_1` and finds no values for it. */
async function checkKeys(ask: Asking, form: string, names: readonly string[]): Promise<void> {
  if (!names.some((name) => /_\d+$/.test(name))) return;
  const objects = `read_json_objects(${ask.path}, format = '${form}')`;
  const rows = await ask.rows(`select distinct unnest(json_keys(json)) from ${objects}`);
  const keys = new Map<string, string>();
  for (const [key] of rows) {
    const folded = String(key).toLowerCase();
    const other = keys.get(folded);
    if (other !== undefined) {
      throw new RecurveError(
        'INVALID_DATA',
        `the keys "${key}" and "${other}" are one name to DuckDB, which reads JSON`,
        {
          hint: 'rename one of them',
        },
      );
    }
    keys.set(folded, String(key));
  }
}

/** Whether a type of objects or arrays can be trusted: with two keys that differ in case only, one got a number. */
function isNested(type: string): boolean {
  return /^(STRUCT|MAP)\(|\[\]$/.test(type) && !/_\d+"? /.test(type);
}

/** DuckDB takes texts that look like dates for dates; inside of a nested type nothing tests whether each one is kept. */
function plainStrings(type: string): string {
  return type.replaceAll(
    /("(?:[^"]|"")*")|\b(?:DATE|TIMESTAMP WITH TIME ZONE|TIMESTAMP|TIME|UUID)(?=[,)[]|$)/g,
    (_, name: string | undefined) => name ?? 'VARCHAR',
  );
}
