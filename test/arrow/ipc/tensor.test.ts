import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  RecurveError,
  readTensor,
  readTensors,
  type SparseTensor,
  type Tensor,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  writeTensor,
} from 'recurve/arrow';

const float64 = { kind: 'float', bitWidth: 64 } as const;
const int16 = { kind: 'int', bitWidth: 16, signed: true } as const;
const int64 = { kind: 'int', bitWidth: 64, signed: true } as const;

const dense: Tensor = {
  kind: 'dense',
  type: float64,
  shape: [2, 3],
  names: ['x', null],
  values: Float64Array.of(1, 2, 3, 4, 5, 6),
};
const sparse: SparseTensor = {
  kind: 'sparse',
  type: int16,
  shape: [2, 3],
  names: [null, null],
  index: { kind: 'coo', type: int64, indices: BigInt64Array.of(0n, 2n, 1n, 0n), isCanonical: true },
  values: Int16Array.of(7, -8),
};

function fixture(name: string): Uint8Array {
  return readFileSync(new URL(`fixture/${name}.tensor`, import.meta.url));
}

/** The values by their coordinates, such as `1,2`. */
function cells({ shape, index, values }: SparseTensor): Record<string, number> {
  const found: Record<string, number> = {};
  const put = (coordinates: readonly unknown[], i: number): void => {
    found[coordinates.join()] = Number(values[i]);
  };
  switch (index.kind) {
    case 'coo': {
      const strides = index.strides?.map((stride) => stride / (index.type.bitWidth / 8)) ?? [shape.length, 1];
      const at = (i: number, d: number): unknown => index.indices[i * (strides[0] ?? 0) + d * (strides[1] ?? 0)];
      for (let i = 0; i < values.length; i++) {
        put(
          shape.map((_, d) => at(i, d)),
          i,
        );
      }
      break;
    }
    case 'csx':
      for (let line = 0; line + 1 < index.pointers.length; line++) {
        for (let i = Number(index.pointers[line]); i < Number(index.pointers[line + 1]); i++) {
          put(index.compressedAxis === 'row' ? [line, index.indices[i]] : [index.indices[i], line], i);
        }
      }
      break;
    case 'csf': {
      const walk = (level: number, from: number, to: number, path: readonly unknown[]): void => {
        for (let node = from; node < to; node++) {
          const here = [...path, index.indices[level]?.[node]];
          const below = index.pointers[level];
          if (below !== undefined) walk(level + 1, Number(below[node]), Number(below[node + 1]), here);
          else
            put(
              shape.map((_, dimension) => here[index.axisOrder.indexOf(dimension)]),
              node,
            );
        }
      };
      walk(0, 0, index.indices[0]?.length ?? 0, []);
    }
  }
  return found;
}

const matrix = { '0,1': 1, '0,3': 2, '2,0': 3, '2,2': 4, '2,3': 5 };
const cube = { '0,0,0': 1, '0,1,1': 2, '1,1,0': 3, '1,1,1': 4, '1,2,1': 5 };

describe('sparse tensors that Arrow C++ wrote', () => {
  for (const [name, kind, shape, names, expected] of [
    ['coo', 'coo', [3, 4], ['row', 'column'], matrix],
    ['csr', 'csx', [3, 4], ['row', 'column'], matrix],
    ['csc32', 'csx', [3, 4], ['row', 'column'], matrix],
    ['coo16', 'coo', [2, 3, 2], ['a', 'b', 'c'], cube],
    ['csf', 'csf', [2, 3, 2], ['a', 'b', 'c'], cube],
    ['csf32', 'csf', [2, 3, 2], ['a', 'b', 'c'], cube],
  ] as const) {
    it(`are read, and the same after they were written: ${name}`, () => {
      const tensor = readTensor(fixture(name));
      assert.ok(tensor?.kind === 'sparse' && tensor.index.kind === kind);
      assert.deepEqual([tensor.shape, tensor.names], [shape, names]);
      assert.deepEqual(cells(tensor), expected);
      assert.deepEqual(readTensor(writeTensor(tensor)), tensor);
    });
  }

  it('are refused when cut off at any byte', () => {
    for (const name of ['coo', 'csr', 'csf32']) {
      const bytes = fixture(name);
      for (let length = 1; length < bytes.length; length++) {
        assert.throws(() => readTensor(bytes.subarray(0, length)), isInvalidData);
      }
    }
  });

  it('with any byte changed end in a tensor or in our error', () => {
    let refused = 0;
    for (const name of ['coo', 'csr', 'csc32', 'csf', 'csf32']) {
      for (let at = 0; at < fixture(name).length; at++) {
        for (const mask of [0xff, 0x01, 0x80]) {
          const bytes = fixture(name);
          bytes[at] = (bytes[at] ?? 0) ^ mask;
          try {
            const tensor = readTensor(bytes);
            if (tensor?.kind === 'sparse') cells(tensor);
          } catch (error) {
            assert.ok(RecurveError.is(error), `${name}, byte ${at}: ${error}`);
            refused++;
          }
        }
      }
    }
    assert.ok(refused > 1000);
  });
});

describe('a tensor', () => {
  it('is read as it was written, in place where it is aligned', () => {
    const bytes = writeTensor(dense, { metadata: { k: 'v' } });
    const read = readTensor(bytes);
    assert.deepEqual(read, dense);
    assert.equal(read?.values.buffer, bytes.buffer);
    assert.equal((read?.values.byteOffset ?? 1) % 64, 0);
    const shifted = new Uint8Array(bytes.length + 1).subarray(1);
    shifted.set(bytes);
    assert.deepEqual(readTensor(shifted), dense);
    assert.deepEqual(readTensor(writeTensor(sparse)), sparse);
  });

  it('may have strides, no dimensions, or one of none', () => {
    const columns: Tensor = { ...dense, strides: [8, 16] };
    assert.deepEqual(readTensor(writeTensor(columns)), columns);
    const scalar: Tensor = { ...dense, shape: [], names: [], values: Float64Array.of(5) };
    assert.deepEqual(readTensor(writeTensor(scalar)), scalar);
    const empty: Tensor = { ...dense, shape: [0, 4], values: new Float64Array(0) };
    assert.deepEqual(readTensor(writeTensor(empty)), empty);
  });

  it('may follow another, up to the end or its marker', () => {
    const marker = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0);
    const pair = Buffer.concat([writeTensor(dense), writeTensor(sparse)]);
    assert.deepEqual([...readTensors(pair)], [dense, sparse]);
    assert.deepEqual([...readTensors(Buffer.concat([pair, marker, pair]))], [dense, sparse]);
    assert.equal(readTensor(marker), null);
    assert.equal(readTensor(new Uint8Array(0)), null);
  });

  it('that is not what it says is not written', () => {
    const isInvalid = (error: unknown) => RecurveError.is(error) && error.status === 'INVALID_ARGUMENT';
    const { index } = sparse;
    assert.ok(index.kind === 'coo');
    const wrong: (Tensor | SparseTensor)[] = [
      { ...dense, values: new Float32Array(6) },
      { ...dense, shape: [2, 4] },
      { ...dense, shape: [-1, 3] },
      { ...dense, strides: [24, -8] },
      { ...dense, strides: [24] },
      { ...dense, strides: [24, 4] },
      { ...dense, strides: [24, 16] },
      { ...sparse, shape: [2, 2] },
      { ...sparse, index: { ...index, indices: BigInt64Array.of(0n, 2n, 1n) } },
      { ...sparse, index: { ...index, indices: BigInt64Array.of(0n, -1n, 1n, 0n) } },
      {
        ...sparse,
        index: {
          kind: 'csx',
          compressedAxis: 'row',
          pointerType: int16,
          pointers: Int16Array.of(0, 3, 2),
          type: int16,
          indices: Int16Array.of(0, 1),
        },
      },
    ];
    for (const tensor of wrong) assert.throws(() => writeTensor(tensor), isInvalid, JSON.stringify(tensor.shape));
  });

  it('is told apart from batches, which are told apart from it', () => {
    assert.throws(() => readTensor(tableToIPC(tableFromArrays({ a: Int32Array.of(1) }))), /this is no tensor/);
    assert.throws(() => tableFromIPC(writeTensor(dense)), /begins with a schema, not with tensor/);
  });
});

// The fuzz regressions: https://github.com/apache/arrow-testing, data/, Apache-2.0.
const folder = join(process.env.ARROW_TEST_DATA ?? '', 'arrow-ipc-tensor-stream');
const skip = process.env.ARROW_TEST_DATA === undefined || !existsSync(folder) ? 'ARROW_TEST_DATA is not there' : false;

it('the fuzz regressions of tensors are refused, as Arrow C++ does', { skip }, () => {
  const names = readdirSync(folder).filter((name) => name.startsWith('clusterfuzz'));
  assert.equal(names.length, 2);
  for (const name of names) assert.throws(() => readTensor(readFileSync(join(folder, name))), isInvalidData);
});

function isInvalidData(error: unknown): boolean {
  return RecurveError.is(error) && error.status === 'INVALID_DATA';
}
