import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RecurveError, StreamReader, type Table, tableFromIPC, tableToIPC, type ValidationLevel } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { nativeZstd } from '../../../src/platform/node.ts';
import { arbitraryBatchesOf, arbitrarySchema } from './random-batch.ts';

// The fuzz regressions: https://github.com/apache/arrow-testing, data/, Apache-2.0.
const root = process.env.ARROW_TEST_DATA;
const folders = ['arrow-ipc-stream', 'arrow-ipc-file', 'arrow-ipc-tensor-stream', 'forward-compatibility'];
/** By file, `valid …` or `invalid …`: Arrow C++, every batch read and validated in full. */
const verdictFile = process.env.ARROW_TEST_VERDICTS;
const skip = root === undefined || !existsSync(root) ? 'ARROW_TEST_DATA names no arrow-testing data' : false;

const codecs = await loadCodecs();
/**
 * A damaged ZSTD frame that zstd's assembly for x86-64 takes, and with it C++ and Node's own, while zstd built for WebAssembly
 * (three packages tried) and fzstd find the damage.
 */
const onlyNative = '-6295340960776192';

/** Reads and writes again, which walks every buffer; true when there was a table. Any error but our own fails. */
function survives(bytes: Uint8Array, validate: ValidationLevel): boolean {
  return onlyOurErrors(() => {
    const table = tableFromIPC(bytes, { validate, codecs });
    onlyOurErrors(() => tableToIPC(table));
    onlyOurErrors(() => touchValues(table));
  });
}

function onlyOurErrors(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (!RecurveError.is(error)) throw error;
    assert.doesNotMatch(error.message, /\n/);
    return false;
  }
}

/** The first values: what claims billions of rows without bytes for them is not wrong, only long. */
function touchValues(table: Table): void {
  for (const batch of table.batches) {
    for (const column of batch.columns) for (let i = 0; i < Math.min(column.length, 200); i++) column.at(i);
  }
}

const noVerdict = 'ARROW_TEST_VERDICTS names no verdicts';

/** No file of the corpus may take more, at `full`. */
const maxMs = 50;
const maxBytes = 64e6;

describe('fuzz regressions of arrow-testing', () => {
  const verdicts = readVerdicts();
  let count = 0;
  for (const folder of skip === false ? folders : []) {
    for (const entry of readdirSync(join(root ?? '', folder), { withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.md')) continue;
      count++;
      const name = `${folder}/${entry.name}`;
      const verdict = verdicts.get(name) ?? verdicts.get(name.replace(/\.arrow$/, ''));
      it(`${name} gets the verdict of Arrow C++, quickly`, { skip: verdict === undefined && noVerdict }, async () => {
        const bytes = readFileSync(join(root ?? '', folder, entry.name));
        const error = validateTimed(bytes);
        // What is not supported is refused like what is wrong: nothing is left out.
        if (verdict !== undefined && entry.name.endsWith(onlyNative) && nativeZstd() === null) {
          assert.match(error?.message ?? '', /ZSTD: the data are malformed/);
        } else if (verdict !== undefined)
          assert.equal(error === undefined, verdict.startsWith('valid'), error?.message);
        // From front to back a file whose footer alone is wrong is whole.
        const reading = StreamReader.from([bytes]).then((reader) => reader.table());
        await reading.then(touchValues).catch((failure: unknown) => assert.ok(RecurveError.is(failure), `${failure}`));
      });
      it(`${name} ends in a table or in our error without validation`, () => {
        survives(readFileSync(join(root ?? '', folder, entry.name)), 'none');
      });
    }
  }

  it('are all there', { skip }, () => assert.equal(count, 138));
});

function readVerdicts(): ReadonlyMap<string, string> {
  if (verdictFile === undefined || !existsSync(verdictFile)) return new Map();
  const { verdicts } = JSON.parse(readFileSync(verdictFile, 'utf8')) as { verdicts: Record<string, string> };
  return new Map(Object.entries(verdicts));
}

/** Why the bytes are refused at `full`; the quickest of three times counts, for a machine that is busy. */
function validateTimed(bytes: Uint8Array): RecurveError | undefined {
  let error: RecurveError | undefined;
  let ms = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && ms > maxMs; i++) {
    const start = performance.now();
    const before = memoryBytes();
    try {
      touchValues(tableFromIPC(bytes, { codecs }));
    } catch (failure) {
      if (!RecurveError.is(failure)) throw failure;
      error = failure;
    }
    ms = Math.min(ms, performance.now() - start);
    assert.ok(memoryBytes() - before < maxBytes);
  }
  assert.ok(ms <= maxMs, `${ms} ms`);
  return error;
}

function memoryBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('damaged input', () => {
  const samples = fc
    .sample(
      arbitrarySchema.chain((schema) =>
        arbitraryBatchesOf(schema, { minLength: 1, maxLength: 2 }).map((batches) => ({ schema, batches })),
      ),
      {
        numRuns: 12,
        seed: 20_240_229,
      },
    )
    .flatMap((input) => (['stream', 'file'] as const).map((format) => tableToIPC(input, { format, alignment: 8 })))
    .filter((bytes) => bytes.length < 2500);

  it('with any single byte changed ends in a table or in our error', () => {
    assert.ok(samples.length > 8);
    for (const bytes of samples) {
      for (let at = 0; at < bytes.length; at++) {
        const damaged = bytes.slice();
        damaged[at] = (damaged[at] ?? 0) ^ (at % 3 === 0 ? 0xff : 0x80 >>> (at & 7));
        survives(damaged, 'none');
        survives(damaged, 'full');
      }
    }
  });
});
