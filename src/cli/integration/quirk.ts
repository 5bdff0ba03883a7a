import type { Column } from '../../arrow/column.ts';
import { Field } from '../../arrow/schema.ts';
import { childFields, type DataType } from '../../arrow/type.ts';

/** The rules for values that a quirk lifts: old gold files break them on purpose. */
export interface ValueRules {
  /** A decimal has no more digits than its type's precision, which full validation holds: not with `QUIRK_no_decimal_validate=1`. */
  readonly decimal: boolean;
  /** A date in milliseconds is a whole day: not with `QUIRK_no_date64_validate=1`. */
  readonly date64: boolean;
  /** A time of day is from 0 up to 24 hours: not with `QUIRK_no_times_validate=1`. */
  readonly times: boolean;
}

/** Other quirks lift rules that are not held here. */
export function readQuirks(env: Readonly<Record<string, string | undefined>>): ValueRules {
  const holds = (name: string): boolean => env[`QUIRK_no_${name}_validate`] !== '1';
  return { decimal: holds('decimal'), date64: holds('date64'), times: holds('times') };
}

const dayMs = 86_400_000n;
const unitsPerDay = { s: 86_400n, ms: dayMs, us: dayMs * 1000n, ns: dayMs * 1_000_000n } as const;

/** The first date or time of a column that breaks a rule, with its place; null when none does. */
export function findRuleBreach(field: Field, column: Column, rules: ValueRules): string | null {
  const { type } = field;
  const breaks = breachOf(type, column, rules);
  if (breaks !== null) {
    for (let i = 0; i < column.length; i++) {
      if (!column.isValid(i)) continue;
      const what = breaks(i);
      if (what !== null) return `column ${JSON.stringify(field.name)}, value ${i}: ${what}`;
    }
  }
  const { dictionary, children = [] } = column.layout;
  if (type.kind === 'dictionary' && dictionary !== undefined) {
    return findRuleBreach(new Field(field.name, type.value), dictionary, rules);
  }
  for (const [i, child] of childFields(type).entries()) {
    const found = children[i] === undefined ? null : findRuleBreach(child, children[i], rules);
    if (found !== null) return found;
  }
  return null;
}

function breachOf(type: DataType, column: Column, rules: ValueRules): ((index: number) => string | null) | null {
  const count = (index: number): bigint => BigInt(column.at(index) as number | bigint);
  if (type.kind === 'date' && type.unit === 'ms' && rules.date64) {
    return (index) => (count(index) % dayMs === 0n ? null : `${count(index)} ms are no whole days`);
  }
  if (type.kind === 'time' && rules.times) {
    const perDay = unitsPerDay[type.unit];
    return (index) =>
      count(index) >= 0n && count(index) < perDay ? null : `${count(index)} ${type.unit} are no time of day`;
  }
  return null;
}
