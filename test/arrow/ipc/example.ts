import { type Column, type DataType, type DictionaryType, Field, makeColumn, RecordBatch, Schema } from 'recurve/arrow';

export const int32: DataType = { kind: 'int', bitWidth: 32, signed: true };
export const utf8: DataType = { kind: 'utf8', large: false };

export function dictionaryOf(id: bigint, value: DataType = utf8): DictionaryType {
  return { kind: 'dictionary', id, index: { kind: 'int', bitWidth: 8, signed: true }, value, ordered: false };
}

export function int32Column(values: readonly (number | null)[], field: Field = new Field('i', int32)): Column {
  const validity = validityOf(values);
  return makeColumn(field, {
    type: field.type,
    length: values.length,
    ...validity,
    values: Int32Array.from(values, (value) => value ?? 0),
  });
}

export function textColumn(values: readonly (string | null)[], field: Field = new Field('s', utf8)): Column {
  const parts = values.map((value) => Buffer.from(value ?? ''));
  const offsets = new Int32Array(values.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + part.length;
  });
  return makeColumn(field, {
    type: field.type,
    length: values.length,
    ...validityOf(values),
    offsets,
    data: new Uint8Array(Buffer.concat(parts)),
  });
}

export function dictionaryColumn(field: Field, indices: readonly (number | null)[], dictionary: Column): Column {
  const values = Int8Array.from(indices, (index) => index ?? 0);
  return makeColumn(field, { type: field.type, length: indices.length, ...validityOf(indices), values, dictionary });
}

export function listColumn(field: Field, offsets: readonly number[], child: Column): Column {
  return makeColumn(field, {
    type: field.type,
    length: offsets.length - 1,
    validity: null,
    offsets: Int32Array.from(offsets),
    children: [child],
  });
}

function validityOf(values: readonly unknown[]): { validity: Uint8Array | null } {
  if (!values.includes(null)) return { validity: null };
  const validity = new Uint8Array(Math.ceil(values.length / 8));
  values.forEach((value, i) => {
    if (value !== null) validity[i >> 3] = (validity[i >> 3] ?? 0) | (1 << (i & 7));
  });
  return { validity };
}

export function int32Batch(values: readonly (number | null)[]): RecordBatch {
  const field = new Field('i', int32);
  return new RecordBatch(new Schema([field]), [int32Column(values, field)]);
}

const list = new Field('l', { kind: 'list', child: new Field('item', int32), large: false });
const color = new Field('color', dictionaryOf(1n));

/** Numbers, text, lists and a dictionary, with metadata. */
export const mixedSchema: Schema = new Schema(
  [new Field('i', int32), new Field('s', utf8, { metadata: [['k', 'v']] }), list, color],
  [['who', 'me']],
);

/** Two batches of {@link mixedSchema} with one dictionary. */
export function mixedBatches(): RecordBatch[] {
  const colors = textColumn(['red', 'green', 'blue']);
  return [
    new RecordBatch(mixedSchema, [
      int32Column([1, null, 3]),
      textColumn(['a', 'zwölf', null], mixedSchema.field(1)),
      listColumn(list, [0, 2, 2, 3], int32Column([7, 8, null])),
      dictionaryColumn(color, [0, null, 2], colors),
    ]),
    new RecordBatch(mixedSchema, [
      int32Column([4]),
      textColumn(['🚀'], mixedSchema.field(1)),
      listColumn(list, [0, 0], int32Column([])),
      dictionaryColumn(color, [1], colors),
    ]),
  ];
}
