import { makeColumn } from '../../arrow/column/make.ts';
import type { Column, ColumnLayout, Values } from '../../arrow/column.ts';
import type { Field } from '../../arrow/schema.ts';
import { childFields, type DataType, type DictionaryType } from '../../arrow/type.ts';
import { RecurveError } from '../../error.ts';
import type { JsonColumn, JsonInteger } from './json-format.ts';
import { bytesOfHex, fixedValues, offsetsOf, viewWords } from './json-values.ts';

/** Finds the values of a dictionary. */
export type DictionaryLookup = (type: DictionaryType, field: Field) => Column;

/**
 * The column that the JSON describes, buffer by buffer: also what no value refers to is kept. Throws INVALID_DATA, naming
 * the field, for a column that contradicts its own count or misses a part.
 */
export function readJsonColumn(field: Field, json: JsonColumn | undefined, lookup: DictionaryLookup): Column {
  const fail = (what: string): never => {
    throw new RecurveError('INVALID_DATA', `column ${JSON.stringify(field.name)} of the JSON file ${what}`);
  };
  if (json === undefined) return fail('is missing');
  const { type } = field;
  const { count: length } = json;
  const check = (name: keyof JsonColumn, expected: number): void => {
    const part = json[name] as readonly unknown[] | undefined;
    if ((part?.length ?? 0) !== expected) fail(`has ${part?.length ?? 0} of ${name}, but needs ${expected}`);
  };
  const stored = type.kind === 'dictionary' ? type.index : type;
  if (hasData(stored)) check('DATA', length);
  if (stored.kind === 'utf8-view' || stored.kind === 'binary-view') check('VIEWS', length);
  if (stored.kind === 'list-view') check('SIZE', length);
  if (stored.kind === 'union') check('TYPE_ID', length);
  if (json.VALIDITY !== undefined) check('VALIDITY', length);
  const children = childFields(stored);
  if (json.children !== undefined || children.length > 0) check('children', children.length);
  return makeColumn(field, {
    type,
    length,
    ...validityOf(type, json),
    ...buffersOf(stored, json),
    ...(children.length > 0 && {
      children: children.map((child, i) => readJsonColumn(child, json.children?.[i], lookup)),
    }),
    ...(type.kind === 'dictionary' && { dictionary: lookup(type, field) }),
  });
}

function hasData(type: DataType): boolean {
  return type.kind === 'utf8' || type.kind === 'binary' || type.kind === 'bool' || fixedValues.has(type.kind);
}

function validityOf({ kind }: DataType, { VALIDITY: flags, count }: JsonColumn): Partial<ColumnLayout> {
  if (kind === 'null' || kind === 'run-end-encoded') return {};
  const nullCount = flags === undefined ? 0 : count - flags.reduce((sum, flag) => sum + (flag ? 1 : 0), 0);
  return { nullCount, validity: nullCount === 0 || flags === undefined ? null : packBits(flags) };
}

function packBits(flags: readonly unknown[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  flags.forEach((flag, i) => {
    if (flag) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  });
  return bits;
}

function buffersOf(type: DataType, json: JsonColumn): Partial<ColumnLayout> {
  const { count, DATA: data = [], OFFSET: offsets = [], SIZE: sizes = [] } = json;
  switch (type.kind) {
    case 'bool':
      return { values: packBits(data) };
    case 'utf8':
    case 'binary':
      return variable(type.kind, type.large, data as string[]);
    case 'utf8-view':
    case 'binary-view':
      return {
        values: viewWords(json.VIEWS ?? [], type.kind === 'utf8-view'),
        buffers: (json.VARIADIC_DATA_BUFFERS ?? []).map(bytesOfHex),
      };
    case 'list':
    case 'map':
      return { offsets: offsetsOf(withFirst(offsets, count), type.kind === 'list' && type.large) };
    case 'list-view':
      return { offsets: offsetsOf(offsets, type.large), sizes: offsetsOf(sizes, type.large) };
    case 'union':
      return {
        values: Int8Array.from(json.TYPE_ID ?? []),
        ...(type.mode === 'dense' && { offsets: Int32Array.from(offsets, Number) }),
      };
    default: {
      const make = fixedValues.get(type.kind);
      return make === undefined ? {} : { values: make(type, data) as Values };
    }
  }
}

/** An empty column may have no offset at all. */
function withFirst(offsets: readonly JsonInteger[], count: number): readonly JsonInteger[] {
  return count === 0 && offsets.length === 0 ? [0] : offsets;
}

/** Offsets follow from the values: the JSON repeats them. */
function variable(kind: 'utf8' | 'binary', large: boolean, values: readonly string[]): Partial<ColumnLayout> {
  const encoder = new TextEncoder();
  const parts = values.map((value) => (kind === 'utf8' ? encoder.encode(value) : bytesOfHex(value)));
  const ends = new Float64Array(values.length + 1);
  parts.forEach((part, i) => {
    ends[i + 1] = (ends[i] ?? 0) + part.length;
  });
  const data = new Uint8Array(ends[values.length] ?? 0);
  parts.forEach((part, i) => {
    data.set(part, ends[i] ?? 0);
  });
  return { data, offsets: large ? BigInt64Array.from(ends, BigInt) : Int32Array.from(ends) };
}
