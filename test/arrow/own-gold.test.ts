import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  type BatchesOfSchema,
  type Column,
  FileReader,
  type RecordBatch,
  readTensor,
  type SparseTensor,
  StreamDecoder,
  StreamReader,
  tableFromIPC,
  tableToIPC,
  unifyDictionaries,
  writeTensor,
} from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { goldFolder, makeGold } from '../gold/make.ts';
import { type TensorTruth, tensorOf } from '../gold/tensor-case.ts';
import { dictionaryMessages } from './ipc/message-list.ts';
import {
  dictionaryEntries,
  findOwnDifference,
  hexOf,
  hexOfExtra,
  listOwnCases,
  type OwnCase,
  readGoldFile,
} from './own-gold-case.ts';

// See test/gold/README.md.

const cases = listOwnCases();

describe('gold cases of this project', () => {
  it('are what their definitions make, to the byte, and stay small', async () => {
    const made = await makeGold();
    assert.deepEqual([...made.keys()].sort(), readdirSync(goldFolder).sort());
    let total = 0;
    for (const [name, bytes] of made) {
      assert.equal(Buffer.compare(bytes, readGoldFile(name)), 0, name);
      assert.ok(name.endsWith('.json') || bytes.length < 8192, name);
      total += bytes.length;
    }
    assert.ok(total < 400_000, `${total} bytes`);
  });

  for (const one of cases) {
    for (const file of one.files) {
      it(`${file} reads as its JSON says, by every reader, and again when written`, () => checkFile(one, file));
    }
  }
});

async function checkFile(one: OwnCase, file: string): Promise<void> {
  const { extra } = one;
  const bytes = readGoldFile(file);
  const options = { validate: 'full', codecs: await loadCodecs() } as const;
  const isSame = (read: BatchesOfSchema): void => assert.equal(findOwnDifference(one, read), null);
  const table = tableFromIPC(bytes, options);
  isSame(table);
  if (extra.messages !== undefined) assert.deepEqual(dictionaryMessages(bytes), extra.messages);
  if (extra.alignment !== undefined) assert.equal(leastAlignment(table.batches), extra.alignment);
  if (file.endsWith('.arrow_file')) {
    assert.equal(hexOf(FileReader.open(bytes, options).metadata), hexOfExtra(extra.footerMetadata));
  }
  if (file.startsWith('offsets_')) assert.ok(firstOffsets(table.batches).some((offset) => offset > 0));
  if (extra.dictionaryMetadata !== undefined) {
    // Of all messages that brought it: one more by each delta, all of which a file gives at once.
    const once = hexOfExtra(extra.dictionaryMetadata);
    const twice = `${once},${once}`;
    assert.deepEqual(dictionaryEntries(table), [file.endsWith('.stream') ? once : twice, twice]);
  }

  const reader = await StreamReader.from(bytes, options);
  if (file.endsWith('.stream')) assert.equal(hexOf(reader.metadata), hexOfExtra(extra.schemaMessageMetadata));
  isSame(await reader.table());
  isSame(pushBytes(bytes, options));

  const formats = [
    { format: 'stream', alignment: 64 },
    { format: 'file', alignment: 8, dictionaryDeltas: true },
    { format: 'stream', compression: 'lz4', codecs: options.codecs },
  ] as const;
  for (const format of formats) {
    const kept = format.format === 'file' && extra.dictionariesChange ? unifyDictionaries(table) : table;
    const again = tableFromIPC(tableToIPC(kept, format), options);
    // Nulls of a union itself are its children's once written: metadata V5 has no others.
    if (extra.unionNulls) assert.deepEqual(values(again), values(one.truth));
    else isSame(again);
  }
}

function values(read: BatchesOfSchema): unknown[] {
  return [...read.batches].map((batch) => batch.columns.map((column) => [...column]));
}

function pushBytes(bytes: Uint8Array, options: { readonly validate: 'full' }): BatchesOfSchema {
  const decoder = new StreamDecoder(options);
  const batches: RecordBatch[] = [];
  for (let at = 0; at < bytes.length; at++) batches.push(...decoder.push(bytes.slice(at, at + 1)));
  decoder.finish();
  assert.ok(decoder.schema !== undefined);
  return { schema: decoder.schema, batches };
}

function firstOffsets(batches: readonly RecordBatch[]): number[] {
  const visit = ({ layout }: Column): number[] => [
    Number(layout.offsets?.[0] ?? 0),
    ...(layout.children ?? []).flatMap(visit),
  ];
  return batches.flatMap((batch) => batch.columns.flatMap(visit));
}

/** The largest power of two, up to 64, that the place of every buffer is a multiple of. */
function leastAlignment(batches: readonly RecordBatch[]): number {
  const places: number[] = [];
  const visit = ({ layout, validity }: Column): void => {
    const parts = [layout.values, validity, layout.offsets, layout.data, layout.sizes, ...(layout.buffers ?? [])];
    for (const part of parts) if (part != null && part.byteLength > 0) places.push(part.byteOffset);
    layout.children?.forEach(visit);
  };
  for (const batch of batches) batch.columns.forEach(visit);
  return [64, 32, 16, 8].find((alignment) => places.every((place) => place % alignment === 0)) ?? 1;
}

describe('gold tensors of this project', () => {
  const names = readdirSync(goldFolder).filter((file) => file.endsWith('.tensor'));

  for (const name of names) {
    it(`${name} reads as its JSON says, and again when written`, () => {
      const truth = JSON.parse(Buffer.from(readGoldFile(name.replace('.tensor', '.json'))).toString()) as TensorTruth;
      const tensor = readTensor(readGoldFile(name));
      assert.ok(tensor !== null);
      const noNames = truth.shape.map(() => null);
      assert.deepEqual(tensor, { ...tensorOf(truth), names: truth.names ?? noNames });
      assert.deepEqual(cellsOf(tensor), truth.cells);
      assert.deepEqual(readTensor(writeTensor(tensor)), tensor);
    });
  }
});

/** Dense: all values in row-major order. Sparse: those that are there, by their coordinates. */
function cellsOf(tensor: NonNullable<ReturnType<typeof readTensor>>): unknown {
  const { shape } = tensor;
  if (tensor.kind === 'sparse') return sparseCells(tensor);
  const width = tensor.values.BYTES_PER_ELEMENT;
  let step = width;
  const rowMajor = shape.map(() => 0);
  for (let d = shape.length - 1; d >= 0; d--) {
    rowMajor[d] = step;
    step *= shape[d] ?? 0;
  }
  const walk = (d: number, at: number): string[] =>
    d === shape.length
      ? [`${tensor.values[at / width]}`]
      : Array.from({ length: shape[d] ?? 0 }, (_, i) =>
          walk(d + 1, at + i * ((tensor.strides ?? rowMajor)[d] ?? 0)),
        ).flat();
  return walk(0, 0);
}

function sparseCells({ shape, index, values: stored }: SparseTensor): Record<string, string> {
  const cells: Record<string, string> = {};
  if (index.kind === 'coo') {
    const width = index.type.bitWidth / 8;
    const [perValue = 0, perDimension = 0] = index.strides ?? [shape.length * width, width];
    for (const [i, value] of [...stored].entries()) {
      const place = shape.map((_, d) => index.indices[(i * perValue + d * perDimension) / width]);
      cells[place.join()] = `${value}`;
    }
  } else if (index.kind === 'csx') {
    for (let line = 0; line + 1 < index.pointers.length; line++) {
      for (let i = Number(index.pointers[line]); i < Number(index.pointers[line + 1]); i++) {
        const place = [line, index.indices[i]];
        cells[(index.compressedAxis === 'row' ? place : place.reverse()).join()] = `${stored[i]}`;
      }
    }
  } else {
    const walk = (level: number, from: number, to: number, path: readonly unknown[]): void => {
      for (let node = from; node < to; node++) {
        const here = [...path, index.indices[level]?.[node]];
        const below = index.pointers[level];
        if (below !== undefined) walk(level + 1, Number(below[node]), Number(below[node + 1]), here);
        else cells[index.axisOrder.map((_, d) => here[index.axisOrder.indexOf(d)]).join()] = `${stored[node]}`;
      }
    };
    walk(0, 0, index.indices[0]?.length ?? 0, []);
  }
  return cells;
}
