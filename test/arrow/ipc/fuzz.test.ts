import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RecurveError, StreamReader, type Table, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { arbitraryBatchesOf, arbitrarySchema } from './random-batch.ts';

// The fuzz regressions: https://github.com/apache/arrow-testing, data/, Apache-2.0.
const root = process.env.ARROW_TEST_DATA;
const folders = ['arrow-ipc-stream', 'arrow-ipc-file', 'arrow-ipc-tensor-stream', 'forward-compatibility'];
const skip = root === undefined || !existsSync(root) ? 'ARROW_TEST_DATA names no arrow-testing data' : false;

const codecs = await loadCodecs();

/** Reads and writes again, which walks every buffer; true when there was a table. Any error but our own fails. */
function survives(bytes: Uint8Array): boolean {
  return onlyOurErrors(() => {
    const table = tableFromIPC(bytes, { codecs });
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

describe('fuzz regressions of arrow-testing', () => {
  let count = 0;
  for (const folder of skip === false ? folders : []) {
    for (const entry of readdirSync(join(root ?? '', folder), { withFileTypes: true })) {
      if (!entry.isFile() || entry.name.endsWith('.md')) continue;
      count++;
      it(`${folder}/${entry.name} ends in a table or in our error`, async () => {
        const bytes = readFileSync(join(root ?? '', folder, entry.name));
        const isTable = survives(bytes);
        // Nothing else there is a table that is complete, supported and right (by Arrow C++ with full validation).
        assert.equal(isTable, entry.name.endsWith('-6088759971217408'));
        // From front to back a file whose footer alone is wrong is whole.
        const reading = StreamReader.from([bytes]).then((reader) => reader.table());
        await reading.then(touchValues).catch((error: unknown) => assert.ok(RecurveError.is(error), `${error}`));
      });
    }
  }

  it('are all there', { skip }, () => assert.equal(count, 138));
});

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
        survives(damaged);
      }
    }
  });
});
