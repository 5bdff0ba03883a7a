import type { JsonColumn, JsonField, JsonType, JsonView } from '../../src/cli/integration/json-format.ts';

// The integration format by plain loops over its description ("Integration testing", JSON test data format). Values are
// given as JSON has them: text for 64-bit integers and decimals (numbers do too), hexadecimal for binary, an array of
// the children's values for a struct, `[key, value]` pairs for a map, `[type id, value]` for a union, the place in the
// dictionary for a dictionary field.

/** What a field may say besides its name and type. */
type FieldParts = Partial<Omit<JsonField, 'name' | 'type'>>;

export function field(name: string, type: JsonType, parts: FieldParts = {}): JsonField {
  return { name, nullable: true, type, children: [], ...parts };
}

export const int = (bitWidth: number, isSigned = true): JsonType => ({ name: 'int', bitWidth, isSigned });
export const float = (precision: 'HALF' | 'SINGLE' | 'DOUBLE'): JsonType => ({ name: 'floatingpoint', precision });
export const decimal = (precision: number, scale: number, bitWidth: number): JsonType => ({
  name: 'decimal',
  precision,
  scale,
  bitWidth,
});
/** A type that is its name and maybe a unit. */
export const plain = (name: string, unit?: string): JsonType => (unit === undefined ? { name } : { name, unit });
export const time = (unit: string, bitWidth: number): JsonType => ({ name: 'time', unit, bitWidth });
export const timestamp = (unit: string, timezone: string): JsonType => ({ name: 'timestamp', unit, timezone });
export const utf8 = plain('utf8');

/** A dictionary field: `type` and `parts.children` are the values'. */
export function dictionary(name: string, id: number, type: JsonType, parts: FieldParts = {}, bits = 8): JsonField {
  return field(name, type, { ...parts, dictionary: { id, indexType: int(bits), isOrdered: false } });
}

export function list(name: string, child: JsonField, type = 'list', parts: FieldParts = {}): JsonField {
  return field(name, plain(type), { ...parts, children: [child] });
}

export function fixedList(name: string, child: JsonField, listSize: number, parts: FieldParts = {}): JsonField {
  return field(name, { name: 'fixedsizelist', listSize }, { ...parts, children: [child] });
}

export function struct(name: string, children: readonly JsonField[], parts: FieldParts = {}): JsonField {
  return field(name, plain('struct'), { ...parts, children });
}

export function map(name: string, key: JsonField, value: JsonField): JsonField {
  const entries = struct('entries', [{ ...key, nullable: false }, value], { nullable: false });
  return field(name, { name: 'map', keysSorted: false }, { children: [entries] });
}

export function union(name: string, mode: 'SPARSE' | 'DENSE', typeIds: number[], children: JsonField[]): JsonField {
  return field(name, { name: 'union', mode, typeIds }, { children });
}

export function runs(name: string, value: JsonField, bitWidth = 32): JsonField {
  const ends = field('run_ends', int(bitWidth), { nullable: false });
  return field(name, plain('runendencoded'), { children: [ends, { ...value, name: 'values' }] });
}

/** The column of these values, null for a null. */
export function column(of: JsonField, values: readonly unknown[]): JsonColumn {
  const { name, type, children = [] } = of;
  const base = { name, count: values.length };
  const valid = { ...base, VALIDITY: values.map((value) => (value === null ? 0 : 1)) };
  if (of.dictionary !== undefined) return { ...valid, DATA: values.map((value) => value ?? 0) };
  const [first, second] = children as [JsonField, JsonField];
  switch (type.name) {
    case 'null':
      return base;
    case 'utf8':
    case 'binary':
    case 'largeutf8':
    case 'largebinary': {
      const data = values.map((value) => (value ?? '') as string);
      const sizes = data.map((value) => (type.name.endsWith('utf8') ? Buffer.byteLength(value) : value.length / 2));
      return { ...valid, OFFSET: ends(sizes, type.name.startsWith('large')), DATA: data };
    }
    case 'utf8view':
    case 'binaryview':
      return { ...valid, ...views(values, type.name === 'utf8view') };
    case 'list':
    case 'largelist':
    case 'map': {
      const lists = values.map((value) => (value ?? []) as unknown[]);
      const sizes = lists.map((items) => items.length);
      return { ...valid, OFFSET: ends(sizes, type.name === 'largelist'), children: [column(first, lists.flat(1))] };
    }
    case 'listview':
    case 'largelistview':
      return { ...valid, ...listViews(first, values, type.name === 'largelistview') };
    case 'fixedsizelist': {
      const blanks = Array<unknown>(type.listSize as number).fill(null);
      const items = values.flatMap((value) => (value ?? blanks) as unknown[]);
      return { ...valid, children: [column(first, items)] };
    }
    case 'struct': {
      const part = (value: unknown, i: number): unknown => (value === null ? null : (value as unknown[])[i]);
      const columns = children.map((child, i) =>
        column(
          child,
          values.map((value) => part(value, i)),
        ),
      );
      return { ...valid, children: columns };
    }
    case 'union':
      return { ...base, ...unionParts(of, values as [number, unknown][]) };
    case 'runendencoded': {
      const starts = values.flatMap((value, i) =>
        i > 0 && JSON.stringify(value) === JSON.stringify(values[i - 1]) ? [] : [i],
      );
      const runEnds = starts.map((_, i) => starts[i + 1] ?? values.length);
      const runValues = starts.map((start) => values[start]);
      return { ...base, children: [column(first, runEnds), column(second, runValues)] };
    }
    default: {
      const blank = blankOf(type);
      const isText = typeof blank === 'string' && type.name !== 'fixedsizebinary';
      return { ...valid, DATA: values.map((value) => (value === null ? blank : isText ? String(value) : value)) };
    }
  }
}

/** Where values of these sizes begin, and the last ends; text where they are of 64 bits. */
function ends(sizes: readonly number[], large: boolean): (number | string)[] {
  const offsets = [0];
  for (const size of sizes) offsets.push((offsets.at(-1) ?? 0) + size);
  return large ? offsets.map(String) : offsets;
}

/** What stands under a null: text for values of 64 bits and more. */
function blankOf(type: JsonType): unknown {
  const { name, unit } = type;
  if (name === 'decimal' || name === 'timestamp' || name === 'duration') return '0';
  if ((name === 'int' || name === 'time') && type.bitWidth === 64) return '0';
  if (name === 'date') return unit === 'DAY' ? 0 : '0';
  if (name === 'fixedsizebinary') return '00'.repeat(type.byteWidth as number);
  if (name !== 'interval' || unit === 'YEAR_MONTH') return 0;
  return unit === 'DAY_TIME' ? { days: 0, milliseconds: 0 } : { months: 0, days: 0, nanoseconds: 0 };
}

/** Longer values go to two data buffers in turn. */
function views(values: readonly unknown[], isText: boolean): Partial<JsonColumn> {
  const buffers = ['', ''];
  let turn = 0;
  const VIEWS = values.map((value): JsonView => {
    const bytes = Buffer.from((value ?? '') as string, isText ? 'utf8' : 'hex');
    if (bytes.length <= 12) return { SIZE: bytes.length, INLINED: (value ?? '') as string };
    const hex = bytes.toString('hex').toUpperCase();
    const at = turn++ % 2;
    const before = buffers[at] ?? '';
    buffers[at] = before + hex;
    return { SIZE: bytes.length, PREFIX_HEX: hex.slice(0, 8), BUFFER_INDEX: at, OFFSET: before.length / 2 };
  });
  return { VIEWS, VARIADIC_DATA_BUFFERS: buffers.filter((hex) => hex !== '') };
}

/** The last list stands first in the child. */
function listViews(child: JsonField, values: readonly unknown[], large: boolean): Partial<JsonColumn> {
  const items: unknown[] = [];
  const OFFSET: (number | string)[] = values.map(() => 0);
  for (let i = values.length - 1; i >= 0; i--) {
    const value = values[i];
    if (value == null) continue;
    OFFSET[i] = items.length;
    items.push(...(value as unknown[]));
  }
  const SIZE: (number | string)[] = values.map((value) => ((value ?? []) as unknown[]).length);
  const sized = large ? { OFFSET: OFFSET.map(String), SIZE: SIZE.map(String) } : { OFFSET, SIZE };
  return { ...sized, children: [column(child, items)] };
}

function unionParts({ type, children = [] }: JsonField, values: readonly [number, unknown][]): Partial<JsonColumn> {
  const ids = type.typeIds as number[];
  const TYPE_ID = values.map(([id]) => id);
  if (type.mode === 'SPARSE') {
    const own = (id: number | undefined): unknown[] => values.map(([of, value]) => (of === id ? value : null));
    return { TYPE_ID, children: children.map((child, i) => column(child, own(ids[i]))) };
  }
  const taken = ids.map((): unknown[] => []);
  const OFFSET = values.map(([id, value]) => (taken[ids.indexOf(id)]?.push(value) ?? 0) - 1);
  return { TYPE_ID, OFFSET, children: children.map((child, i) => column(child, taken[i] ?? [])) };
}
