import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { StreamReader, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { findGoldDifference, goldSkip, listGoldCases, readGoldTruth } from './gold-case.ts';

describe('the official gold files', () => {
  const cases = listGoldCases();

  it('are 91 cases, with 182 binaries', { skip: goldSkip }, () => assert.equal(cases.length, 91));

  for (const gold of cases) {
    for (const suffix of ['.stream', '.arrow_file']) {
      it(`${gold.name}${suffix} holds what its JSON says, and still does when written again`, async () => {
        const truth = readGoldTruth(gold);
        const bytes = readFileSync(gold.path + suffix);
        const codecs = await loadCodecs();
        const options = { validate: gold.level, codecs };
        const table = tableFromIPC(bytes, options);
        assert.equal(findGoldDifference(truth, table), null);
        const stream = await StreamReader.from(bytes, { validate: gold.level });
        assert.equal(findGoldDifference(truth, await stream.table()), null, 'read as a stream');
        const written = tableToIPC(table);
        assert.equal(findGoldDifference(truth, tableFromIPC(written, options)), null, 'written as a stream');
        const file = tableToIPC(table, { format: 'file', alignment: 8 });
        assert.equal(findGoldDifference(truth, tableFromIPC(file, options)), null, 'written as a file');
        if (gold.level !== 'full') {
          assert.throws(() => tableFromIPC(bytes, { codecs }), /has more digits than the precision/);
        }
      });
    }
  }
});
