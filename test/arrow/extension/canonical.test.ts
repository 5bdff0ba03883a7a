import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as a from 'recurve/arrow';

// Names, storage and metadata by Arrow's CanonicalExtensions.rst.
const extensions = a.canonicalExtensions;

function read(field: a.Field, values: readonly unknown[], options: a.ValueOptions = { extensions }): unknown[] {
  const schema = new a.Schema([field]);
  const table = a.tableFromIPC(a.tableToIPC(new a.Table(schema, [a.batchFromArrays(schema, [values])])));
  assert.ok(table.schema.equals(schema));
  return table.toArray(options).map((row) => row[field.name]);
}

function fails(message: RegExp): (error: unknown) => boolean {
  return (error) => a.RecurveError.is(error) && error.status === 'INVALID_DATA' && message.test(error.message);
}

describe('canonical extension types', () => {
  it('are eight, each under its name', () => {
    assert.deepEqual(
      extensions.map(({ name }) => name),
      [
        'arrow.bool8',
        'arrow.fixed_shape_tensor',
        'arrow.json',
        'arrow.opaque',
        'arrow.parquet.variant',
        'arrow.timestamp_with_offset',
        'arrow.uuid',
        'arrow.variable_shape_tensor',
      ],
    );
  });

  it('bool8: every number but zero is true', () => {
    const field = a.bool8Field('b');
    assert.deepEqual(a.extensionOf(field), { name: 'arrow.bool8', metadata: '' });
    assert.deepEqual(read(field, [0, 1, -7, null]), [false, true, true, null]);
    assert.deepEqual(read(field, [0, 1, -7, null], {}), [0, 1, -7, null]);
  });

  it('json: values are parsed', () => {
    const field = a.jsonField('j');
    assert.deepEqual(read(field, ['{"a":[1,null]}', '"x"', null, 'null']), [{ a: [1, null] }, 'x', null, null]);
    assert.throws(() => read(field, ['1', '{']), fails(/^column "j", row 1: arrow\.json: /));
    assert.deepEqual(read(field, ['{'], {}), ['{']);
  });

  it('uuid: text, with or without being asked for', () => {
    const text = '00112233-4455-6677-8899-aabbccddeeff';
    assert.deepEqual(read(a.uuidField('u'), [text, null]), [text, null]);
    assert.deepEqual(read(a.uuidField('u'), [text, null], {}), [text, null]);
  });

  it('opaque: the parameters of the format description are read', () => {
    const field = a.opaqueField('o', a.nullType(), 'varray', 'Oracle');
    assert.deepEqual(a.opaqueExtension.parametersOf(field), { typeName: 'varray', vendorName: 'Oracle' });
    assert.deepEqual(read(field, [null]), [null]);
  });

  it('fixed_shape_tensor: the permuted example of the format description has its logical shape', () => {
    const field = a.extensionField('t', a.fixedSizeList(a.int32(), 24), {
      name: 'arrow.fixed_shape_tensor',
      metadata: '{"shape": [2, 3, 4], "permutation": [2, 0, 1], "dim_names": ["x", "y", "z"]}',
    });
    const [tensor] = read(field, [Array.from({ length: 24 }, (_, i) => i)]) as [a.TensorValue];
    assert.deepEqual(tensor.shape, [4, 2, 3]);
    assert.deepEqual(tensor.dimNames, ['z', 'x', 'y']);
    assert.ok(tensor.data instanceof Int32Array);
    // Logical element [k][i][j] is the stored element [i][j][k] of a row-major array of 2 x 3 x 4.
    const [s0 = 0, s1 = 0, s2 = 0] = tensor.strides;
    for (let k = 0; k < 4; k++) {
      for (let i = 0; i < 2; i++)
        for (let j = 0; j < 3; j++) assert.equal(tensor.data[k * s0 + i * s1 + j * s2], i * 12 + j * 4 + k);
    }
  });

  it('variable_shape_tensor: each value has its shape, uniform dimensions are checked', () => {
    const field = a.variableShapeTensorField('v', a.float32(), 2, { dimNames: ['H', 'W'], uniformShape: [null, 2] });
    assert.deepEqual(JSON.parse(a.extensionOf(field)?.metadata ?? ''), {
      dim_names: ['H', 'W'],
      uniform_shape: [null, 2],
    });
    const tensors = read(field, [{ data: [1, 2, 3, 4], shape: [2, 2] }, null, { data: [], shape: [0, 2] }]);
    assert.deepEqual(tensors, [
      { data: Float32Array.of(1, 2, 3, 4), shape: [2, 2], strides: [2, 1], dimNames: ['H', 'W'] },
      null,
      { data: new Float32Array(0), shape: [0, 2], strides: [2, 1], dimNames: ['H', 'W'] },
    ]);
    assert.throws(() => read(field, [{ data: [1, 2, 3], shape: [3, 1] }]), fails(/row 0: .*uniform shape \[\?,2\]/));
    assert.throws(() => read(field, [{ data: [1], shape: [2, 2] }]), fails(/shape \[2,2\] does not fit 1 elements/));
    assert.equal(a.extensionOf(a.variableShapeTensorField('v', a.int8(), 3))?.metadata, '');
  });

  it('timestamp_with_offset: the text of the format description, to the nanosecond', () => {
    const field = a.timestampWithOffsetField('t', 'ns');
    const timestamp = 1_735_714_800_000_000_001n; // 2025-01-01T07:00:00.000000001Z
    const values = [
      { timestamp, offset_minutes: -420 },
      { timestamp: 1_735_689_600_000_000_000n, offset_minutes: 0 },
      null,
    ];
    assert.deepEqual(read(field, values), [
      { timestamp, offsetMinutes: -420 },
      { timestamp: 1_735_689_600_000_000_000n, offsetMinutes: 0 },
      null,
    ]);
    assert.deepEqual(read(field, values, { extensions, temporal: 'text' }), [
      '2025-01-01T00:00:00.000000001-07:00',
      '2025-01-01T00:00:00Z',
      null,
    ]);
    assert.throws(() => read(field, [{ timestamp, offset_minutes: 800 }]), fails(/800 minutes are no offset/));
  });

  it('timestamp_with_offset: a null timestamp makes the value null, a null offset is UTC, offsets may be a dictionary', () => {
    const storage = a.struct([
      a.field('timestamp', a.timestamp('s', 'UTC')),
      a.field('offset_minutes', a.dictionary(a.int16(), a.int8())),
    ]);
    const field = a.extensionField('t', storage, { name: 'arrow.timestamp_with_offset', metadata: '' });
    const values = [
      { timestamp: null, offset_minutes: 60 },
      { timestamp: -1n, offset_minutes: null },
      { timestamp: -1n, offset_minutes: 90 },
    ];
    const options = { extensions, temporal: 'text' } as const;
    assert.deepEqual(read(field, values, options), [null, '1969-12-31T23:59:59Z', '1970-01-01T01:29:59+01:30']);
  });
});

describe('metadata and storage of a canonical extension', () => {
  const wrong: ReadonlyArray<readonly [string, a.DataType, string]> = [
    ['arrow.bool8', a.int16(), ''],
    ['arrow.bool8', a.int8(), 'x'],
    ['arrow.json', a.binary(), ''],
    ['arrow.json', a.utf8(), '[]'],
    ['arrow.opaque', a.utf8(), ''],
    ['arrow.opaque', a.utf8(), '{"type_name": "t"}'],
    ['arrow.opaque', a.utf8(), 'null'],
    ['arrow.fixed_shape_tensor', a.fixedSizeList(a.int8(), 6), '{"shape": [2, 2]}'],
    ['arrow.fixed_shape_tensor', a.fixedSizeList(a.int8(), 6), '{"shape": [-2, -3]}'],
    ['arrow.fixed_shape_tensor', a.fixedSizeList(a.int8(), 6), '{"shape": [2, 3], "dim_names": ["x"]}'],
    ['arrow.fixed_shape_tensor', a.fixedSizeList(a.int8(), 6), '{"shape": [2, 3], "permutation": [1, 1]}'],
    ['arrow.fixed_shape_tensor', a.fixedSizeList(a.int8(), 6), '{"shape": [2, 3], "permutation": [0]}'],
    ['arrow.fixed_shape_tensor', a.fixedSizeList(a.int8(), 6), '{'],
    ['arrow.fixed_shape_tensor', a.list(a.int8()), '{"shape": [2, 3]}'],
    ['arrow.variable_shape_tensor', a.struct({ data: a.list(a.int8()), shape: a.list(a.int32()) }), ''],
    [
      'arrow.variable_shape_tensor',
      a.struct({ data: a.list(a.int8()), shape: a.fixedSizeList(a.int32(), 2) }),
      '{"uniform_shape": [1]}',
    ],
    ['arrow.timestamp_with_offset', a.struct({ timestamp: a.timestamp('s'), offset_minutes: a.int16() }), ''],
    ['arrow.parquet.variant', a.struct({ metadata: a.binary() }), ''],
    ['arrow.uuid', a.fixedSizeBinary(8), ''],
  ];
  for (const [name, storage, metadata] of wrong) {
    it(`${name} refuses ${a.typeToString(storage)} with ${JSON.stringify(metadata)}, naming the column`, () => {
      const field = a.extensionField('bad', storage, { name, metadata });
      assert.throws(() => read(field, []), fails(/^column "bad": arrow\./));
      // Who does not ask for it reads the storage.
      assert.deepEqual(read(field, [], {}), []);
    });
  }

  it('is checked where a field is made', () => {
    assert.throws(() => a.fixedShapeTensorField('t', a.int8(), { shape: [2, 3], permutation: [0, 2] }), /permutation/);
    assert.throws(() => a.bool8Extension.describe(a.utf8(), undefined), /does not stand on utf8/);
  });
});
