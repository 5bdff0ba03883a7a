import type { CaseParts } from './case.ts';

/** How a case's parts become a driver's own words. */
export type Adaptation = (parts: CaseParts) => CaseParts;

/** One after the other. */
export function adaptations(...all: readonly Adaptation[]): Adaptation {
  return (parts) => all.reduce((adapted, adapt) => adapt(adapted), parts);
}

/** Other words for the same in the SQL of a case. Throws where the case does not have them. */
export function inSql(words: RegExp, replacement: string): Adaptation {
  return (parts) => {
    const sql = ['setup_query', 'bind_query', 'query'].filter((key) => words.test(parts[key] ?? ''));
    if (sql.length === 0) throw new Error(`no SQL of the case has ${words}`);
    const all = new RegExp(words, 'g');
    return { ...parts, ...Object.fromEntries(sql.map((key) => [key, (parts[key] ?? '').replace(all, replacement)])) };
  };
}

/** Expects the same times in a finer unit: each count `factor`-fold, the format `to` in place of `from`. */
export function inUnit(from: string, to: string, factor: bigint): Adaptation {
  return (parts) => {
    const schema = parts.expected_schema ?? parts.input_schema ?? '';
    const columns = (JSON.parse(schema) as { children: { name: string; format: string }[] }).children;
    const changed = columns.filter((column) => column.format === from).map((column) => column.name);
    if (changed.length === 0) throw new Error(`no column is expected as ${from}`);
    const counts = new RegExp(`("(?:${changed.join('|')})":\\s*)(-?\\d+)`, 'g');
    return {
      ...parts,
      expected_schema: schema.replaceAll(`"${from}"`, `"${to}"`),
      expected: (parts.expected ?? parts.input ?? '').replace(
        counts,
        (_, key: string, count: string) => `${key}${BigInt(count) * factor}`,
      ),
    };
  };
}

/** Leaves out the lines that match, in setup, input and expectation; `count` of them must be there in each. */
export function without(lines: RegExp, count: number): Adaptation {
  return (parts) => {
    const keys = ['setup_query', 'input', 'expected'].filter((key) => parts[key] !== undefined);
    const left = keys.map((key) => {
      const all = (parts[key] ?? '').split('\n');
      const kept = all.filter((line) => !lines.test(line));
      if (all.length - kept.length !== count) {
        throw new Error(`${all.length - kept.length} lines of ${key} match ${lines}, not ${count}`);
      }
      return [key, kept.join('\n')];
    });
    return { ...parts, ...Object.fromEntries(left) };
  };
}
