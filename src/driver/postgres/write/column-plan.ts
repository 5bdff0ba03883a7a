import type { Field } from '../../../arrow/schema.ts';
import { type DataType, typeToString } from '../../../arrow/type.ts';
import { defaultType, isList, isText } from '../encode/default-type.ts';
import { makeWriter, withType } from '../encode/make.ts';
import type { TargetType } from '../encode/target.ts';

/** How a column of the data gets into one of the table. */
export interface ColumnPlan {
  /** Of the table's column. */
  readonly name: string;
  /** What is sent: the column's own type, or one that the server casts to it. */
  readonly sent: TargetType;
  /** The text of the column's type where the server casts to it. */
  readonly cast?: string | undefined;
}

/**
 * The plan for a field and a column; undefined where the one does not take the other. Text is sent as such, and cast by the
 * server, for types whose binary form is known to the server alone, such as inet, and decimals for money.
 */
export function planColumn(field: Field, target: TargetType): ColumnPlan | undefined {
  const { name } = field;
  if (makeWriter(field, target) !== undefined) return { name, sent: target };
  if (!isCast(field.type, target)) return undefined;
  return { name, sent: defaultType(bare(field), JSON.stringify(name)), cast: target.text };
}

/** Both types, for an error. */
export function describeTypes({ type }: Field, target: TargetType): string {
  return `${target.text}, the data's ${typeToString(type)}`;
}

/** The field without what it says of itself: text is sent as text, whatever it means. */
function bare(field: Field): Field {
  return withType(field.withMetadata([]), field.type);
}

/**
 * Types with a type of Arrow's own: text is not read as one of these, where "01/02/2024" or "1e3" might not be what was meant.
 */
const typed: ReadonlySet<string> = new Set([
  ...['bool', 'bytea', 'char', 'date', 'float4', 'float8', 'int2', 'int4', 'int8', 'interval', 'money', 'numeric'],
  ...['time', 'timestamp', 'timestamptz'],
]);

function isCast(type: DataType, target: TargetType): boolean {
  if (target.kind === 'domain' && target.element !== undefined) return isCast(type, target.element);
  if (type.kind === 'dictionary') return isCast(type.value, target);
  if (type.kind === 'run-end-encoded') return isCast(type.values.type, target);
  if (target.kind === 'array' && isList(type)) {
    let { child } = type;
    while (isList(child.type)) child = child.type.child;
    return target.element !== undefined && isCast(child.type, target.element);
  }
  if (target.name === 'money') return type.kind === 'decimal';
  const isOpen = target.kind === 'base' || target.kind === 'range' || target.kind === 'multirange';
  return isText(type) && isOpen && !typed.has(target.name);
}

/** Whether a column needs the server's cast, and with it a table to wait in. */
export function needsStaging(plans: readonly ColumnPlan[]): boolean {
  return plans.some((plan) => plan.cast !== undefined);
}

/** The types that are sent, in the order of the schema. */
export function sentTypes(plans: readonly ColumnPlan[]): TargetType[] {
  return plans.map((plan) => plan.sent);
}
