import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before, describe } from 'node:test';
import { formatRaw, formatSummary, parseRaw, parseSummary, sha256, writeRecord } from '../../bench/harness/record.ts';
import type { Measurement } from '../../bench/harness/suite.ts';
import { summarize } from '../../bench/harness/summary.ts';
import { verifyRecord } from '../../bench/harness/verify.ts';

const SEED = 5;

const measurements: Measurement[] = Array.from({ length: 24 }, (_, i) => ({
  suite: 's',
  cell: 'c',
  arm: ['recurve', 'peer', 'floor'][i % 3] ?? '',
  round: 1 + Math.floor(i / 3),
  process: 1 + Math.floor(i / 12),
  iterations: 1 + (i % 2),
  ms: Number(((((i * 37) % 11) + 1) / 7).toFixed(6)),
  digest: i % 3 === 2 ? '' : '4:0123456789abcdef',
}));

describe('bench record', () => {
  let folder = '';
  let copy = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'recurve-record-'));
    copy = join(folder, 'copy');
    await writeRecord(join(folder, 'good'), measurements, summarize(measurements, SEED), { seed: SEED });
  });

  after(() => rmSync(folder, { recursive: true }));

  function fresh(): void {
    rmSync(copy, { recursive: true, force: true });
    cpSync(join(folder, 'good'), copy, { recursive: true });
  }

  test('raw.csv reads back as it was', () => {
    assert.deepEqual(parseRaw(formatRaw(measurements)), measurements);
  });

  test('summary.csv has a line for each arm and each ratio', () => {
    const lines = parseSummary(formatSummary(summarize(measurements, SEED)));
    assert.deepEqual(
      lines.map(({ name, kind, n }) => [name, kind, n]),
      [
        ['recurve', 'arm', 8],
        ['floor', 'floor', 8],
        ['peer', 'arm', 8],
        ['recurve/floor', 'ratio', 8],
        ['recurve/peer', 'ratio', 8],
      ],
    );
    for (const { kind, median, low, high } of lines) {
      if (kind === 'ratio') assert.ok(low <= median && median <= high);
      else assert.ok(Number.isNaN(low) && Number.isNaN(high));
    }
  });

  test('a record that was just written verifies', async () => {
    assert.deepEqual(await verifyRecord(join(folder, 'good')), []);
  });

  for (const name of ['raw.csv', 'summary.csv', 'env.json', 'SHA256SUMS']) {
    test(`any changed byte of ${name} is found`, async () => {
      const good = readFileSync(join(folder, 'good', name));
      const places = [0, Math.floor(good.length / 3), Math.floor(good.length / 2), good.length - 2, good.length - 1];
      for (const at of places) {
        fresh();
        const bad = Buffer.from(good);
        bad[at] = (bad[at] ?? 0) ^ 1;
        writeFileSync(join(copy, name), bad);
        assert.notEqual((await verifyRecord(copy)).length, 0, `byte ${at}`);
      }
    });

    test(`a missing ${name} is found`, async () => {
      fresh();
      rmSync(join(copy, name));
      assert.match((await verifyRecord(copy)).join('\n'), new RegExp(name));
    });
  }

  /** Changes a file and makes SHA256SUMS agree, as somebody would who improves a figure. */
  function forge(name: string, from: string, to: string): void {
    fresh();
    const text = readFileSync(join(copy, name), 'utf8');
    assert.ok(text.includes(from), `${name} holds ${from}`);
    writeFileSync(join(copy, name), text.replace(from, to));
    const sums = ['raw.csv', 'summary.csv', 'env.json'].map(
      (file) => `${sha256(readFileSync(join(copy, file)))}  ${file}\n`,
    );
    writeFileSync(join(copy, 'SHA256SUMS'), sums.join(''));
  }

  test('a summary that does not follow from raw.csv is found although its sum is right', async () => {
    forge('summary.csv', 's,c,recurve,arm,8,', 's,c,recurve,arm,9,');
    assert.match((await verifyRecord(copy)).join('\n'), /summary\.csv, line 2/);
    forge('raw.csv', 's,c,peer,1,1,2,', 's,c,peer,1,1,2,9');
    assert.match((await verifyRecord(copy)).join('\n'), /summary\.csv, line/);
  });

  test('an interval from another seed is found', async () => {
    forge('env.json', `"seed": ${SEED}`, '"seed": "none"');
    assert.match((await verifyRecord(copy)).join('\n'), /seed/);
  });

  test('a line of raw.csv with a field too many or no number is refused with its place', () => {
    const [header = '', line = ''] = formatRaw(measurements).split('\n');
    assert.throws(() => parseRaw(`${header}\n${line},1\n`), /line 2.*9 fields/);
    assert.throws(() => parseRaw(`${header}\n${line.replace(',1,', ',one,')}\n`), /line 2/);
    assert.throws(() => parseRaw(`suite,cell\n`), /begins with/);
  });
});
