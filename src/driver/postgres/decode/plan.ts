import { extensionField, opaqueField, uuidField } from '../../../arrow/extension.ts';
import { Field, type FieldOptions, Schema } from '../../../arrow/schema.ts';
import type { DataType, DecimalType } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import { builtinForms, extensionForms, type PlainForm } from './form.ts';
import type { DecimalShape, FullDecodeOptions } from './option.ts';
import type { PgColumn, PgType, PgTypes } from './type.ts';
import { numericShape, typeText } from './type-text.ts';

/** How a value lies in its bytes, with what is needed to read it. */
export type Form =
  | PlainForm
  | { readonly kind: 'decimal' | 'numeric-double' | 'numeric-text' | 'money' }
  | { readonly kind: 'enum'; readonly labels: readonly string[] }
  | {
      readonly kind: 'array';
      readonly dimensions: number;
      readonly element: number;
      readonly lowerBound: 0 | 1;
    }
  | { readonly kind: 'composite'; readonly oids: readonly number[] }
  | { readonly kind: 'range' | 'multirange' };

/** What becomes of a column, or of a value inside of it: its Arrow field, and how its bytes are read. */
export interface ColumnPlan {
  readonly field: Field;
  readonly form: Form;
  readonly options: FullDecodeOptions;
  /** Of an array and a multirange: what it holds; of a composite its members; of a range its bound; of hstore key and value. */
  readonly children: readonly ColumnPlan[];
}

interface PlanContext {
  readonly types: PgTypes;
  readonly options: FullDecodeOptions;
  nextDictionaryId: bigint;
  /** Types inside of each other so far. */
  depth: number;
}

/** PostgreSQL has no types that hold themselves; a catalog that says otherwise must not hang us. */
const maxDepth = 64;
const utf8: DataType = { kind: 'utf8', large: false };
const binary: DataType = { kind: 'binary', large: false };
/** The key of field metadata that names the type, as the C driver has it. */
export const typeKey = 'POSTGRESQL:type';

/**
 * What becomes of each column, by `docs/postgres-types.md`. A column in text, and what is in binary but of a type that is not
 * known here, is `arrow.opaque`, over utf8 or binary. Throws NOT_FOUND for an OID that is not among the types.
 */
export function planColumns(columns: readonly PgColumn[], types: PgTypes, options: FullDecodeOptions): ColumnPlan[] {
  const context: PlanContext = { types, options, nextDictionaryId: 0n, depth: 0 };
  return columns.map((column) => {
    const type = types.get(column.oid);
    if (type === undefined) throw unknownType(column.name, column.oid);
    const dimensions =
      column.dimensions === undefined || column.dimensions < 1 ? options.arrayDimensions : column.dimensions;
    if (column.format === 1) return planType(context, column.name, type, column.typmod, dimensions);
    return planText(context, column.name, type, column.typmod);
  });
}

/** The schema of planned columns. */
export function schemaOfPlans(plans: readonly ColumnPlan[]): Schema {
  return new Schema(plans.map(({ field }) => field));
}

/** Whether what a type's values become is bytes that say nothing here: such a column is better asked for as text. */
export function isReadable({ form, children }: ColumnPlan): boolean {
  return form.kind !== 'raw' && children.every(isReadable);
}

function unknownType(name: string, oid: number): RecurveError {
  return new RecurveError('NOT_FOUND', `column ${JSON.stringify(name)} is of a type that is not known: OID ${oid}`);
}

function planText(context: PlanContext, name: string, type: PgType, typmod: number): ColumnPlan {
  const { types, options } = context;
  const base = baseType(types, type);
  const isText = builtinForms[base.name]?.kind === 'text' && base.schema === 'pg_catalog';
  const metadata = { metadata: { [typeKey]: typeText(type, typmod, types) } };
  const field = isText ? new Field(name, utf8, metadata) : opaqueField(name, utf8, type.name, vendor, metadata);
  return { field, form: { kind: 'text', type: utf8 }, options, children: [] };
}

const vendor = 'PostgreSQL';

function baseType(types: PgTypes, type: PgType): PgType {
  let base = type;
  for (let depth = 0; base.kind === 'domain' && depth < maxDepth; depth++) base = types.get(base.element ?? 0) ?? base;
  return base;
}

function planType(context: PlanContext, name: string, type: PgType, typmod: number, dimensions: number): ColumnPlan {
  const { types } = context;
  const text = typeText(type, typmod, types, dimensions);
  if (context.depth >= maxDepth) {
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `column ${JSON.stringify(name)}: more than ${maxDepth} types in each other`,
    );
  }
  context.depth++;
  const plan = planInner(context, name, type, typmod, dimensions, { metadata: { [typeKey]: text } });
  context.depth--;
  return plan;
}

function planInner(
  context: PlanContext,
  name: string,
  type: PgType,
  typmod: number,
  dimensions: number,
  named: FieldOptions,
): ColumnPlan {
  switch (type.kind) {
    case 'array':
      return planArray(context, name, type, typmod, dimensions, named);
    case 'domain': {
      const base = findType(context, name, type.element);
      const inner = planType(context, name, base, type.typmod ?? -1, type.dimensions ?? dimensions);
      // The base's field under the domain's name.
      const metadata = [...inner.field.metadata].map(([key, value]) =>
        key === typeKey ? ([key, typeText(type, -1, context.types)] as const) : ([key, value] as const),
      );
      return { ...inner, field: inner.field.withMetadata(metadata) };
    }
    case 'enum': {
      const id = context.nextDictionaryId++;
      const index = { kind: 'int', bitWidth: 32, signed: true } as const;
      const dictionary: DataType = { kind: 'dictionary', id, index, value: utf8, ordered: false };
      return leaf(context, new Field(name, dictionary, named), { kind: 'enum', labels: type.labels ?? [] });
    }
    case 'composite': {
      const attributes = type.attributes ?? [];
      const children = attributes.map((attribute) => {
        const inner = findType(context, `${name}.${attribute.name}`, attribute.oid);
        const levels = Math.max(1, attribute.dimensions ?? 1);
        return planType(context, attribute.name, inner, attribute.typmod, levels);
      });
      const struct: DataType = { kind: 'struct', children: children.map(({ field }) => field) };
      const form: Form = { kind: 'composite', oids: attributes.map(({ oid }) => oid) };
      return { field: new Field(name, struct, named), form, options: context.options, children };
    }
    case 'range':
      return planRange(context, name, type, named);
    case 'multirange': {
      const range = planType(context, 'item', findType(context, name, type.element), -1, 1);
      const list: DataType = { kind: 'list', child: range.field, large: false };
      return {
        field: new Field(name, list, named),
        form: { kind: 'multirange' },
        options: context.options,
        children: [range],
      };
    }
    default:
      return planBase(context, name, type, typmod, named);
  }
}

function findType(context: PlanContext, name: string, oid: number | undefined): PgType {
  const type = context.types.get(oid ?? 0);
  if (type === undefined) throw unknownType(name, oid ?? 0);
  return type;
}

function leaf({ options }: PlanContext, field: Field, form: Form): ColumnPlan {
  return { field, form, options, children: [] };
}

function planArray(
  context: PlanContext,
  name: string,
  type: PgType,
  typmod: number,
  dimensions: number,
  named: FieldOptions,
): ColumnPlan {
  const element = findType(context, name, type.element);
  const item = planType(context, 'item', element, typmod, 1);
  let child = item.field;
  for (let i = 1; i < dimensions; i++) child = new Field('item', { kind: 'list', child, large: false });
  const field = new Field(name, { kind: 'list', child, large: false }, named);
  const form: Form = { kind: 'array', dimensions, element: element.oid, lowerBound: 1 };
  return { field, form, options: context.options, children: [item] };
}

const bool: DataType = { kind: 'bool' };

function planRange(context: PlanContext, name: string, type: PgType, named: FieldOptions): ColumnPlan {
  const subtype = findType(context, name, type.element);
  const lower = planType(context, 'lower', subtype, -1, 1);
  const upper = planType(context, 'upper', subtype, -1, 1);
  const flags = ['lower_inc', 'upper_inc', 'empty'].map((flag) => new Field(flag, bool));
  const struct: DataType = { kind: 'struct', children: [lower.field, upper.field, ...flags] };
  const form: Form = { kind: 'range' };
  return { field: new Field(name, struct, named), form, options: context.options, children: [lower, upper] };
}

function planBase(context: PlanContext, name: string, type: PgType, typmod: number, named: FieldOptions): ColumnPlan {
  const { options } = context;
  const isBuiltin = type.schema === 'pg_catalog';
  if (isBuiltin && type.name === 'numeric') return planNumeric(context, name, typmod, named);
  if (isBuiltin && type.name === 'money') return planMoney(context, name, named);
  if (isBuiltin && (type.name === 'int2vector' || type.name === 'oidvector')) {
    const element = findType(context, name, type.element);
    const item = planType(context, 'item', element, -1, 1);
    const field = new Field(name, { kind: 'list', child: item.field, large: false }, named);
    const form: Form = { kind: 'array', dimensions: 1, element: element.oid, lowerBound: 0 };
    return { field, form, options, children: [item] };
  }
  const form = isBuiltin ? builtinForms[type.name] : extensionForms[type.name];
  if (form === undefined || (type.kind === 'pseudo' && form.kind === 'raw')) {
    return leaf(context, opaqueField(name, binary, type.name, vendor, named), { kind: 'raw', type: binary });
  }
  switch (form.kind) {
    case 'point': {
      const children = ['x', 'y'].map((member) => leaf(context, new Field(member, float64), float64Form));
      const struct: DataType = { kind: 'struct', children: children.map(({ field }) => field) };
      return { field: new Field(name, struct, named), form, options, children };
    }
    case 'hstore': {
      const children = ['key', 'value'].map((member) => {
        const field = new Field(member, utf8, { nullable: member === 'value' });
        return leaf(context, field, { kind: 'text', type: utf8 });
      });
      const entries: DataType = { kind: 'struct', children: children.map(({ field }) => field) };
      const child = new Field('entries', entries, { nullable: false });
      return { field: new Field(name, { kind: 'map', child, keysSorted: false }, named), form, options, children };
    }
    case 'vector': {
      const item = leaf(context, new Field('item', form.type), { kind: 'fixed', type: form.type });
      const list: DataType =
        typmod > 0
          ? { kind: 'fixed-size-list', child: item.field, listSize: typmod }
          : { kind: 'list', child: item.field, large: false };
      return { field: new Field(name, list, named), form, options, children: [item] };
    }
    default:
      return leaf(context, makeField(name, type.name, form, named), form);
  }
}

const float64: DataType = { kind: 'float', bitWidth: 64 };
const float64Form: Form = { kind: 'fixed', type: float64 };

function makeField(name: string, typeName: string, form: PlainForm, named: FieldOptions): Field {
  switch (form.extension) {
    case 'json':
      return extensionField(name, form.type, { name: 'arrow.json', metadata: '' }, named);
    case 'uuid':
      return uuidField(name, named);
    case 'opaque':
      return opaqueField(name, form.type, typeName, vendor, named);
    default:
      return new Field(name, form.type, named);
  }
}

function planNumeric(context: PlanContext, name: string, typmod: number, named: FieldOptions): ColumnPlan {
  const { numeric } = context.options;
  const declared = numericShape(typmod);
  if (declared !== undefined && declared.precision <= 76) {
    return leaf(context, new Field(name, decimalType(declared), named), { kind: 'decimal' });
  }
  if (numeric === 'text') return leaf(context, new Field(name, utf8, named), { kind: 'numeric-text' });
  if (numeric === 'double') return leaf(context, new Field(name, float64, named), { kind: 'numeric-double' });
  return leaf(context, new Field(name, decimalType(numeric), named), { kind: 'decimal' });
}

function decimalType({ precision, scale }: DecimalShape): DecimalType {
  return { kind: 'decimal', precision, scale, bitWidth: precision > 38 ? 256 : 128 };
}

function planMoney(context: PlanContext, name: string, named: FieldOptions): ColumnPlan {
  const { moneyScale } = context.options;
  if (moneyScale === undefined) {
    const int64: DataType = { kind: 'int', bitWidth: 64, signed: true };
    return leaf(context, new Field(name, int64, named), { kind: 'fixed', type: int64 });
  }
  const decimal: DataType = { kind: 'decimal', precision: 19, scale: moneyScale, bitWidth: 128 };
  return leaf(context, new Field(name, decimal, named), { kind: 'money' });
}
