import fc from 'fast-check';
import {
  type Column,
  type DataType,
  type DecimalType,
  Field,
  type IntType,
  makeColumn,
  RecordBatch,
  Schema,
  type UnionType,
} from 'recurve/arrow';

// Schemas and batches of every type, for properties. Types, row counts and seeds shrink; the values follow from the seed.

/** Text with characters of one to four bytes, empty and longer than 12 bytes. */
const texts = [
  '',
  'a',
  'zwölf',
  'exactly 12 b',
  'thirteen bytes',
  '漢字',
  '🚀 to the moon',
  '\u0000',
  'ﬁ́\ufffd',
  'x'.repeat(300),
];

function recordType<T extends DataType>(parts: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<DataType> {
  return fc.record(parts) as fc.Arbitrary<DataType>;
}

const timeUnit = fc.constantFrom('s', 'ms', 'us', 'ns');
const intType = fc.record<IntType>({
  kind: fc.constant('int'),
  bitWidth: fc.constantFrom(8, 16, 32, 64),
  signed: fc.boolean(),
});
const decimalDigits = { 32: 9, 64: 18, 128: 38, 256: 76 } as const;

const flatType: fc.Arbitrary<DataType> = fc.oneof(
  intType,
  fc.constantFrom<DataType>(
    { kind: 'null' },
    { kind: 'bool' },
    { kind: 'float', bitWidth: 16 },
    { kind: 'float', bitWidth: 32 },
    { kind: 'float', bitWidth: 64 },
    { kind: 'date', unit: 'day' },
    { kind: 'date', unit: 'ms' },
    { kind: 'interval', unit: 'year-month' },
    { kind: 'interval', unit: 'day-time' },
    { kind: 'interval', unit: 'month-day-nano' },
    { kind: 'utf8', large: false },
    { kind: 'utf8', large: true },
    { kind: 'binary', large: false },
    { kind: 'binary', large: true },
    { kind: 'utf8-view' },
    { kind: 'binary-view' },
  ),
  recordType({ kind: fc.constant('time'), unit: timeUnit }),
  recordType({ kind: fc.constant('duration'), unit: timeUnit }),
  recordType({
    kind: fc.constant('timestamp'),
    unit: timeUnit,
    timezone: fc.constantFrom(null, 'UTC', 'Europe/Berlin', ''),
  }),
  recordType({ kind: fc.constant('fixed-size-binary'), byteWidth: fc.constantFrom(0, 1, 5, 16) }),
  fc.constantFrom(32, 64, 128, 256).chain((bitWidth) =>
    recordType({
      kind: fc.constant('decimal'),
      precision: fc.integer({ min: 1, max: decimalDigits[bitWidth] }),
      scale: fc.integer({ min: -3, max: 10 }),
      bitWidth: fc.constant(bitWidth),
    }),
  ),
);

/** Pairs with repeated and empty keys, NULs and any text. */
export const arbitraryMetadata: fc.Arbitrary<[string, string][]> = fc.array(
  fc.tuple(fc.constantFrom('', 'a', 'ARROW:extension:name', 'k\u0000'), fc.string({ unit: 'grapheme', maxLength: 8 })),
  { maxLength: 3 },
);

const name = fc.constantFrom('a', 'b', '', 'a.b', '__proto__', 'ß', 'item');

function fieldOf(type: fc.Arbitrary<DataType>): fc.Arbitrary<Field> {
  return fc
    .record({
      name,
      type,
      nullable: fc.boolean(),
      metadata: fc.oneof({ weight: 4, arbitrary: fc.constant<[string, string][]>([]) }, arbitraryMetadata),
    })
    .map(({ name, type, nullable, metadata }) => new Field(name, type, { nullable, metadata }));
}

/** Keys of maps are never null. */
const keyField = fieldOf(flatType.filter((type) => type.kind !== 'null')).map(
  ({ name, type, metadata }) => new Field(name, type, { nullable: false, metadata }),
);

const { type: arbitraryType } = fc.letrec<{ type: DataType; flat: DataType; nested: DataType }>((tie) => {
  const children = fc.array(fieldOf(tie('type')), { maxLength: 3 });
  return {
    flat: flatType,
    type: fc.oneof({ maxDepth: 3, depthIdentifier: 'type', withCrossShrink: true }, tie('flat'), tie('nested')),
    nested: fc.oneof(
      recordType({ kind: fc.constant('list'), child: fieldOf(tie('type')), large: fc.boolean() }),
      recordType({ kind: fc.constant('list-view'), child: fieldOf(tie('type')), large: fc.boolean() }),
      fc.tuple(fc.constantFrom<16 | 32 | 64>(16, 32, 64), fieldOf(tie('type'))).map(
        ([bitWidth, values]): DataType => ({
          kind: 'run-end-encoded',
          runEnds: new Field('run_ends', { kind: 'int', bitWidth, signed: true }, { nullable: false }),
          values,
        }),
      ),
      recordType({
        kind: fc.constant('fixed-size-list'),
        child: fieldOf(tie('type')),
        listSize: fc.constantFrom(0, 1, 3),
      }),
      recordType({ kind: fc.constant('struct'), children }),
      fc.tuple(keyField, fieldOf(tie('type')), fc.boolean()).map(([key, value, keysSorted]): DataType => {
        const entries = new Field('entries', { kind: 'struct', children: [key, value] }, { nullable: false });
        return { kind: 'map', child: entries, keysSorted };
      }),
      fc
        .tuple(fc.array(fieldOf(tie('type')), { minLength: 1, maxLength: 3 }), fc.boolean(), fc.boolean())
        .map(([parts, dense, gaps]): DataType => {
          const typeIds = parts.map((_, i) => (gaps ? 5 + 7 * i : i));
          return { kind: 'union', mode: dense ? 'dense' : 'sparse', typeIds, children: parts };
        }),
      fc
        .tuple(tie('type'), intType, fc.boolean())
        .filter(([value]) => value.kind !== 'dictionary')
        .map(([value, index, ordered]): DataType => ({ kind: 'dictionary', id: 0n, index, value, ordered })),
    ),
  };
});

/** A schema of up to 4 columns of any type, whose dictionaries have ids of their own. */
export const arbitrarySchema: fc.Arbitrary<Schema> = fc
  .record({ fields: fc.array(fieldOf(arbitraryType), { maxLength: 4 }), metadata: arbitraryMetadata })
  .map(({ fields, metadata }) => {
    let id = 0n;
    const nextId = (): bigint => id++;
    return new Schema(
      fields.map((field) => numberField(field, nextId)),
      metadata,
    );
  });

/** Batches of a schema that share their dictionaries. */
export function arbitraryBatchesOf(
  schema: Schema,
  options: { minLength?: number; maxLength?: number } = {},
): fc.Arbitrary<RecordBatch[]> {
  const { minLength = 0, maxLength = 3 } = options;
  return fc
    .record({
      seed: fc.nat(),
      rowCounts: fc.array(fc.integer({ min: 0, max: 20 }), { minLength, maxLength }),
      metadata: arbitraryMetadata,
    })
    .map(({ seed, rowCounts, metadata }) => {
      const maker = new ColumnMaker(seed);
      return rowCounts.map((numRows) => {
        const columns = schema.fields.map((field) => maker.column(field, numRows));
        return new RecordBatch(schema, columns, numRows, metadata);
      });
    });
}

function numberField(field: Field, nextId: () => bigint): Field {
  return new Field(field.name, numberType(field.type, nextId), field);
}

function numberType(type: DataType, nextId: () => bigint): DataType {
  switch (type.kind) {
    case 'list':
    case 'list-view':
    case 'fixed-size-list':
    case 'map':
      return { ...type, child: numberField(type.child, nextId) };
    case 'struct':
    case 'union':
      return { ...type, children: type.children.map((child) => numberField(child, nextId)) };
    case 'run-end-encoded':
      return { ...type, values: numberField(type.values, nextId) };
    case 'dictionary':
      return { ...type, id: nextId(), value: numberType(type.value, nextId) };
    default:
      return type;
  }
}

type MutableLayout = { -readonly [K in keyof Column['layout']]: Column['layout'][K] };

/** Makes columns whose values follow from a seed; some are slices, so that offsets and bitmaps begin anywhere. */
class ColumnMaker {
  #state: number;
  readonly #dictionaries = new Map<bigint, Column>();

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  column(field: Field, length: number): Column {
    if (this.#below(3) > 0) return this.#whole(field, length);
    const before = this.#below(12);
    return this.#whole(field, before + length + this.#below(5)).slice(before, before + length);
  }

  #whole(field: Field, length: number): Column {
    const { type } = field;
    const layout: MutableLayout = { type, length };
    if (type.kind !== 'null' && type.kind !== 'union' && type.kind !== 'run-end-encoded') {
      const hasNulls = field.nullable && this.#below(3) > 0;
      layout.validity = hasNulls ? this.#bytes(Math.ceil(length / 8)) : null;
      layout.nullCount = hasNulls ? -1 : 0;
    }
    this.#fill(type, length, layout);
    return makeColumn(field, layout);
  }

  #fill(type: DataType, length: number, layout: MutableLayout): void {
    switch (type.kind) {
      case 'null':
        break;
      case 'bool':
        layout.values = this.#bytes(Math.ceil(length / 8));
        break;
      case 'int':
        layout.values = this.#ints(type, length);
        break;
      case 'float':
        layout.values = new { 16: Uint16Array, 32: Float32Array, 64: Float64Array }[type.bitWidth](
          this.#bytes((length * type.bitWidth) / 8).buffer,
        );
        break;
      case 'decimal':
        layout.values = this.#decimals(type, length);
        break;
      case 'fixed-size-binary':
        layout.values = this.#bytes(length * type.byteWidth);
        break;
      case 'date':
        layout.values =
          type.unit === 'day'
            ? this.#ints({ kind: 'int', bitWidth: 32, signed: true }, length)
            : BigInt64Array.from({ length }, () => 86_400_000n * BigInt(this.#below(60_000) - 30_000));
        break;
      case 'time': {
        const perSecond = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 }[type.unit];
        const times = Array.from({ length }, () => this.#below(86_400) * perSecond + this.#below(perSecond));
        layout.values = perSecond < 1e6 ? Int32Array.from(times) : BigInt64Array.from(times, BigInt);
        break;
      }
      case 'timestamp':
      case 'duration':
        layout.values = this.#ints({ kind: 'int', bitWidth: 64, signed: true }, length);
        break;
      case 'interval':
        if (type.unit === 'year-month') layout.values = this.#ints({ kind: 'int', bitWidth: 32, signed: true }, length);
        else layout.values = this.#bytes(length * (type.unit === 'day-time' ? 8 : 16));
        break;
      case 'utf8':
      case 'binary': {
        const parts = Array.from({ length }, () => Buffer.from(texts[this.#below(texts.length)] ?? ''));
        layout.data = new Uint8Array(Buffer.concat(parts));
        layout.offsets = offsetsOf(
          parts.map((part) => part.length),
          type.large,
        );
        break;
      }
      case 'utf8-view':
      case 'binary-view':
        this.#fillViews(length, layout);
        break;
      case 'list-view': {
        const items = this.#below(9);
        const starts = Array.from({ length }, () => this.#below(items + 1));
        const sizes = starts.map((start) => this.#below(items - start + 1));
        layout.offsets = type.large ? BigInt64Array.from(starts, BigInt) : Int32Array.from(starts);
        layout.sizes = type.large ? BigInt64Array.from(sizes, BigInt) : Int32Array.from(sizes);
        layout.children = [this.column(type.child, items)];
        break;
      }
      case 'run-end-encoded': {
        const ends: number[] = [];
        for (let end = 0; end < length; ends.push(end)) end += 1 + this.#below(4);
        layout.nullCount = 0;
        const { type: endType } = type.runEnds;
        const bitWidth = endType.kind === 'int' ? endType.bitWidth : 32;
        const values =
          bitWidth === 64
            ? BigInt64Array.from(ends, BigInt)
            : bitWidth === 16
              ? Int16Array.from(ends)
              : Int32Array.from(ends);
        layout.children = [
          makeColumn(type.runEnds, { type: endType, length: ends.length, nullCount: 0, values }),
          this.column(type.values, ends.length),
        ];
        break;
      }
      case 'list':
      case 'map': {
        const lengths = Array.from({ length }, () => this.#below(4));
        layout.offsets = offsetsOf(lengths, type.kind === 'list' && type.large);
        layout.children = [
          this.column(
            type.child,
            lengths.reduce((sum, count) => sum + count, 0),
          ),
        ];
        break;
      }
      case 'fixed-size-list':
        layout.children = [this.column(type.child, length * type.listSize)];
        break;
      case 'struct':
        layout.children = type.children.map((child) => this.column(child, length));
        break;
      case 'union':
        this.#fillUnion(type, length, layout);
        break;
      case 'dictionary': {
        const known = this.#dictionaries.get(type.id);
        const dictionary = known ?? this.column(new Field('', type.value), 1 + this.#below(6));
        this.#dictionaries.set(type.id, dictionary);
        layout.dictionary = dictionary;
        layout.values = this.#ints(type.index, length, dictionary.length);
        break;
      }
    }
  }

  /** Long values stand in any of three buffers, with bytes that nobody points at between them. */
  #fillViews(length: number, layout: MutableLayout): void {
    const values = new Int32Array(4 * length);
    const bytes = new Uint8Array(values.buffer);
    const buffers: Buffer[][] = [[], [], []];
    for (let i = 0; i < length; i++) {
      const text = Buffer.from(texts[this.#below(texts.length)] ?? '');
      values[4 * i] = text.length;
      bytes.set(text.subarray(0, text.length > 12 ? 4 : 12), 16 * i + 4);
      if (text.length <= 12) continue;
      const at = this.#below(3);
      const parts = buffers[at] ?? [];
      parts.push(Buffer.from('-'.repeat(this.#below(3))));
      values[4 * i + 2] = at;
      values[4 * i + 3] = Buffer.concat(parts).length;
      parts.push(text);
    }
    layout.values = values;
    layout.buffers = buffers.map((parts) => new Uint8Array(Buffer.concat(parts)));
  }

  #fillUnion(type: UnionType, length: number, layout: MutableLayout): void {
    const counts = type.children.map(() => 0);
    const typeIds = new Int8Array(length);
    const offsets = new Int32Array(length);
    for (let i = 0; i < length; i++) {
      const child = this.#below(counts.length);
      typeIds[i] = type.typeIds[child] ?? 0;
      offsets[i] = counts[child] ?? 0;
      counts[child] = (counts[child] ?? 0) + 1;
    }
    const dense = type.mode === 'dense';
    layout.values = typeIds;
    if (dense) layout.offsets = offsets;
    layout.children = type.children.map((child, i) => this.column(child, dense ? (counts[i] ?? 0) : length));
  }

  /** Values within the precision. */
  #decimals({ precision, bitWidth }: DecimalType, length: number): Int32Array | BigInt64Array {
    const words = new BigInt64Array(Math.max(1, bitWidth / 64));
    const values = new (bitWidth === 32 ? Int32Array : BigInt64Array)(
      (length * bitWidth) / (bitWidth === 32 ? 32 : 64),
    );
    for (let i = 0; i < length; i++) {
      this.#bytes(words.byteLength).forEach((byte, at) => {
        new Uint8Array(words.buffer)[at] = byte;
      });
      const magnitude =
        words.reduce((value, word) => (value << 64n) | BigInt.asUintN(64, word), 0n) % 10n ** BigInt(precision);
      const value = this.#below(2) === 0 ? magnitude : -magnitude;
      if (values instanceof Int32Array) values[i] = Number(value);
      else
        for (let word = 0; word < words.length; word++)
          values[i * words.length + word] = BigInt.asIntN(64, value >> BigInt(64 * word));
    }
    return values;
  }

  #ints({ bitWidth, signed }: IntType, length: number, below?: number): NonNullable<Column['layout']['values']> {
    const bytes = this.#bytes((length * bitWidth) / 8);
    const classes = signed
      ? { 8: Int8Array, 16: Int16Array, 32: Int32Array, 64: BigInt64Array }
      : { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: BigUint64Array };
    const values = new classes[bitWidth](bytes.buffer);
    if (below !== undefined)
      for (let i = 0; i < length; i++) values[i] = bitWidth === 64 ? BigInt(this.#below(below)) : this.#below(below);
    return values;
  }

  #bytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => this.#below(256));
  }

  /** Xorshift, 32 bits. */
  #below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }
}

function offsetsOf(lengths: readonly number[], large: boolean): Int32Array | BigInt64Array {
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + length;
  });
  return large ? BigInt64Array.from(offsets, BigInt) : offsets;
}
