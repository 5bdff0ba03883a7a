import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTensor, type Tensor, writeTensor } from 'recurve/arrow';
import { runPython } from './python.ts';

const float64 = { kind: 'float', bitWidth: 64 } as const;
const int = (bitWidth: 8 | 16 | 32 | 64, signed = true) => ({ kind: 'int', bitWidth, signed }) as const;
const tensors: Record<string, { tensor: Tensor; nested: unknown }> = {
  rows: {
    tensor: {
      kind: 'dense',
      type: float64,
      shape: [2, 3],
      names: ['x', 'y'],
      values: Float64Array.of(1, 2, 3, 4, 5, 6),
    },
    nested: [
      [1, 2, 3],
      [4, 5, 6],
    ],
  },
  columns: {
    tensor: { kind: 'dense', type: int(16), shape: [2, 3], strides: [2, 4], values: Int16Array.of(1, 2, 3, 4, 5, 6) },
    nested: [
      [1, 3, 5],
      [2, 4, 6],
    ],
  },
  cube: {
    tensor: {
      kind: 'dense',
      type: int(8, false),
      shape: [2, 2, 2],
      values: Uint8Array.of(0, 1, 2, 3, 252, 253, 254, 255),
    },
    nested: [
      [
        [0, 1],
        [2, 3],
      ],
      [
        [252, 253],
        [254, 255],
      ],
    ],
  },
  vector: {
    tensor: { kind: 'dense', type: int(64), shape: [3], values: BigInt64Array.of(-1n, 0n, 1n) },
    nested: [-1, 0, 1],
  },
};

test('tensors are read by pyarrow, and read again after pyarrow wrote them', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'recurve-tensor-'));
  t.after(() => rm(directory, { recursive: true }));
  for (const [name, { tensor }] of Object.entries(tensors)) {
    await writeFile(join(directory, `${name}.tensor`), writeTensor(tensor));
  }
  const { version, read } = (await runPython('tensor.py', [directory, ...Object.keys(tensors)])) as {
    version: string;
    read: Record<string, unknown>;
  };
  t.diagnostic(`peer: pyarrow ${version}`);
  for (const [name, { tensor, nested }] of Object.entries(tensors)) {
    const names = tensor.shape.map((_, i) => tensor.names?.[i] ?? null);
    assert.deepEqual(read[name], { shape: tensor.shape, names, values: nested });
    const back = readTensor(await readFile(join(directory, `${name}.out`)));
    assert.ok(back?.kind === 'dense');
    // Arrow C++ writes an empty name where there is none.
    const backNames = back.names?.map((given) => given || null);
    assert.deepEqual([back.type, back.shape, backNames], [tensor.type, tensor.shape, names]);
    assert.deepEqual(nest(back), nested);
  }
});

/** The values as nested arrays, by shape and strides. */
function nest({ shape, strides, values }: Tensor): unknown {
  const width = values.BYTES_PER_ELEMENT;
  const walk = (dimension: number, at: number): unknown =>
    dimension === shape.length
      ? Number(values[at])
      : Array.from({ length: shape[dimension] ?? 0 }, (_, i) =>
          walk(dimension + 1, at + (i * (strides?.[dimension] ?? 0)) / width),
        );
  return walk(0, 0);
}
