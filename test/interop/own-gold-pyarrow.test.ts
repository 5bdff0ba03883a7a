import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { tableFromIPC } from 'recurve/arrow';
import { findOwnDifference, hexOfExtra, listOwnCases } from '../arrow/own-gold-case.ts';
import { goldFolder } from '../gold/make.ts';
import { type TensorTruth, tensorCases, tensorOf } from '../gold/tensor-case.ts';
import { runPython } from './python.ts';

interface Read {
  readonly error?: string;
  readonly metadata: readonly string[];
  readonly footer: Readonly<Record<string, string>>;
}

interface ReadTensor {
  readonly error?: string;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly names: ReadonlyArray<string | null>;
  readonly values: string;
}

/** `read_tensor` is for dense tensors; sparse ones can be made there, but not read. */
const sparseRefusal = /Header-type of flatbuffer-encoded Message is not Tensor/;

/** What pyarrow does not read or changes, by the case's name: the error, or the difference. */
const disagreements: ReadonlyArray<readonly [name: RegExp, why: RegExp]> = [
  [/^big_endian_(view|nested_views)\./, /NotImplemented.*[Ss]wapping endianness of \w*(string|binary)_view/],
  [/^big_endian_runs\./, /NotImplemented.*swapping endianness of run-end encoded/],
  [/^delta_of_nested\./, /NotImplemented.*delta dictionary with an unresolved nested dictionary/],
  [/^dictionary_after_nulls\./, /did not have the expected number \(1\) of dictionaries at the start/],
  // Only metadata V4 has nulls of a union itself.
  [/^v4_union_nulls\./, /Cannot read dense_union array with top-level validity bitmap/],
];

test('pyarrow reads the gold cases of this project, and what it writes of them equals their truth', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'recurve-own-gold-'));
  t.after(() => rm(directory, { recursive: true }));
  const pathOf = (file: string): string => fileURLToPath(new URL(file, goldFolder));
  const files = listOwnCases().flatMap((one) => one.files.map((file) => ({ one, file })));
  const tensors = Object.keys(tensorCases).map((name) => `${name}.tensor`);
  const cases = [...files.map(({ file }) => file), ...tensors].map((file) => ({
    path: pathOf(file),
    out: join(directory, file),
  }));
  const { version, results } = (await runPython('own_gold_pyarrow.py', [], { cases })) as {
    version: string;
    results: readonly unknown[];
  };
  t.diagnostic(`peer: pyarrow ${version}`);
  assert.equal(results.length, cases.length);

  for (const [i, { one, file }] of files.entries()) {
    const { error, metadata, footer } = results[i] as Read;
    const compare = async (): Promise<string | null> => {
      if (error !== undefined) return error;
      const { extra } = one;
      // Its Python class of the footer's metadata is a dictionary: of repeated keys the last.
      const wanted = Object.fromEntries(extra.footerMetadata?.map((entry) => hexOfExtra([entry]).split('=')) ?? []);
      if (file.endsWith('.arrow_file')) assert.deepEqual(footer, wanted);
      assert.deepEqual(
        metadata,
        one.truth.batches.map((_, batch) => hexOfExtra(extra.batchMetadata?.[batch])),
      );
      return findOwnDifference(one, tableFromIPC(await readFile(join(directory, file)), { validate: 'full' }));
    };
    const [, why] = disagreements.find(([name]) => name.test(file)) ?? [];
    await t.test(why === undefined ? file : `${file}: still ${why}`, async () => {
      const difference = await compare();
      if (why === undefined) assert.equal(difference, null);
      else assert.match(`${difference}`, why);
    });
  }

  for (const [i, file] of tensors.entries()) {
    const read = results[files.length + i] as ReadTensor;
    const truth = tensorCases[file.replace('.tensor', '')] as TensorTruth;
    await t.test(truth.kind === 'dense' ? file : `${file}: pyarrow has still no call that reads it`, () => {
      if (truth.kind !== 'dense') return assert.match(`${read.error}`, sparseRefusal);
      assert.equal(read.error, undefined);
      const { shape, names = shape.map(() => null), strides } = truth;
      assert.deepEqual([read.shape, read.names], [shape, names]);
      if (strides !== undefined) assert.deepEqual(read.strides, strides);
      const rowMajor = tensorOf({ ...truth, values: truth.cells as string[] }).values;
      assert.equal(read.values, Buffer.from(rowMajor.buffer, rowMajor.byteOffset, rowMajor.byteLength).toString('hex'));
    });
  }
});
