import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { typeToString } from 'recurve/arrow';
import { goldLevel } from '../arrow/gold-case.ts';
import { launchChromium, withoutChromium } from '../browser/chromium.ts';
import { rows, samples, toPlainRows } from '../browser/duckdb-table.ts';
import type { QueryResult } from '../browser/duckdb-wasm.ts';
import { type Outcome, readOutcome } from '../browser/outcome.ts';
import type { ServedFile, ServedOutcome } from '../browser/page.ts';
import { type PageServer, servePage } from '../browser/serve.ts';

const corpus = process.env.ARROW_TEST_DATA;
const withoutCorpus =
  withoutChromium ||
  ((corpus === undefined || !existsSync(join(corpus, 'arrow-ipc-stream'))) &&
    'ARROW_TEST_DATA names no arrow-testing data');
const own = fileURLToPath(new URL('../gold/data', import.meta.url));
const folders = {
  corpus: corpus ?? '',
  own,
  duckdb: fileURLToPath(new URL('../../node_modules/@duckdb/duckdb-wasm/dist', import.meta.url)),
};

describe('in Chromium', { skip: withoutChromium }, () => {
  let server: PageServer;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];
  before(async () => {
    server = await servePage(folders);
    browser = await launchChromium();
    page = await browser.newPage();
    page.on('pageerror', (error) => faults.push(String(error)));
    await page.goto(server.origin);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });

  async function call<T>(expression: string): Promise<T> {
    assert.deepEqual(faults, []);
    return (await page.evaluate(expression)) as T;
  }

  /** Reads files in the browser and here, and compares; gives how they read. */
  async function compare(folder: 'corpus' | 'own', names: readonly string[]): Promise<ServedOutcome[]> {
    const files = names.map((name) => servedFile(folder, name));
    const outcomes = await call<ServedOutcome[]>(`page.readServed(${JSON.stringify(files)})`);
    for (const [i, { validate }] of files.entries()) {
      const name = names[i] ?? '';
      const here = await readOutcome(readFileSync(join(folders[folder], name)), validate);
      assert.deepEqual(outcomes[i]?.memory, here, name);
    }
    return outcomes;
  }

  it('all gold files read as in Node: from memory, from the network, by ranges', { skip: withoutCorpus }, async (t) => {
    t.diagnostic(`peer: Chromium ${browser.version()}`);
    const names = goldNames();
    assert.equal(names.length, 182);
    const outcomes = await compare('corpus', names);
    checkAlike(names, outcomes);
  });

  it('all gold files read the same where a content-security policy forbids code made of text', {
    skip: withoutCorpus,
  }, async () => {
    const strict = await browser.newPage();
    await strict.goto(`${server.origin}/strict`);
    assert.deepEqual(await Promise.all([page, strict].map((either) => either.evaluate('page.makesCode'))), [
      true,
      false,
    ]);
    const names = goldNames();
    const files = names.map((name) => servedFile('corpus', name));
    const outcomes = (await strict.evaluate(`page.readServed(${JSON.stringify(files)})`)) as ServedOutcome[];
    for (const [i, { memory, stream, ranges }] of outcomes.entries()) {
      const here = await readOutcome(readFileSync(join(folders.corpus, names[i] ?? '')), files[i]?.validate ?? 'full');
      assert.deepEqual([memory, stream, ranges], [here, here, here], names[i]);
    }
    assert.equal(outcomes.length, 182);
  });

  it('files of fuzzing get the verdict, and the words, that they get in Node', { skip: withoutCorpus }, async () => {
    const names = ['arrow-ipc-stream', 'arrow-ipc-file'].flatMap((folder) =>
      readdirSync(join(folders.corpus, folder), { withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
        .map((entry) => `${folder}/${entry.name}`),
    );
    assert.equal(names.length, 135);
    await compare('corpus', names);
  });

  it('the gold files of our own read as in Node: from memory, from the network, by ranges', async () => {
    const names = listFiles(own, /\.(stream|arrow_file)$/);
    assert.ok(names.length > 0);
    checkAlike(names, await compare('own', names));
  });

  it('bodies that the browser compresses are smaller and read the same by its asynchronous reader', async () => {
    type Written = Record<string, { outcome: Outcome; byteLength: number }>;
    const { plain, lz4, zstd } = await call<Written>('page.writeCompressed()');
    assert.ok(plain && lz4 && zstd && 'digest' in plain.outcome);
    assert.deepEqual([lz4.outcome, zstd.outcome], [plain.outcome, plain.outcome]);
    assert.ok(lz4.byteLength < plain.byteLength / 2 && zstd.byteLength < plain.byteLength / 2);
  });

  describe('DuckDB', () => {
    const query = (...queries: string[]) => call<QueryResult[]>(`page.queryDuckDB(${JSON.stringify(queries)})`);
    const types = Object.fromEntries(Object.entries(samples).map(([name, { type }]) => [name, typeToString(type)]));

    it('sees the types and values that we hand it, and hands them back', async (t) => {
      const printed = Object.entries(samples).filter(([, { text }]) => text !== undefined);
      const [version, described, texts, instant, back] = await query(
        'select version() as v',
        'select column_name, column_type from (describe samples)',
        `select ${printed.map(([name]) => `${name}::varchar as ${name}`)} from samples`,
        'select epoch_us(instant) as us from samples',
        'from samples',
      );
      t.diagnostic(`peer: duckdb-wasm ${JSON.stringify(version?.rows[0])}`);
      assert.deepEqual(
        described?.rows,
        Object.entries(samples).map(([column_name, { sqlType }]) => ({ column_name, column_type: sqlType })),
      );
      assert.deepEqual(texts?.rows[0], Object.fromEntries(printed.map(([name, { text }]) => [name, text])));
      assert.deepEqual(instant?.rows[0], { us: `${samples.instant?.value}n` });
      assert.deepEqual(back, { types, rows: toPlainRows(rows) });
    });

    it('takes and gives tables without rows, types intact', async () => {
      const columns = Object.entries(samples).map(([column_name, { sqlType }]) => ({
        column_name,
        column_type: sqlType,
      }));
      for (const name of ['no_batch', 'no_row']) {
        const [described, back] = await query(
          `select column_name, column_type from (describe ${name})`,
          `from ${name}`,
        );
        assert.deepEqual(described?.rows, columns);
        assert.deepEqual(back, { types, rows: [] });
      }
      const [none] = await query("select 1.5::decimal(18, 3) as d, interval '1 day' as i from samples where false");
      assert.deepEqual(none, { types: { d: 'decimal128(18, 3)', i: 'interval[month-day-nano]' }, rows: [] });
    });

    it('gives sums and huge integers as exact decimals, scaled', async () => {
      const [sums, ends] = await query(
        'select sum(l) as l, sum(price) as price, sum(l::hugeint * 1000) as h from (from samples union all from samples)',
        `select ${'9'.repeat(38)}::hugeint as most, -${'9'.repeat(38)}::hugeint as least, 18446744073709551615::ubigint as u`,
      );
      assert.deepEqual(sums, {
        types: { l: 'decimal128(38, 0)', price: 'decimal128(38, 2)', h: 'decimal128(38, 0)' },
        rows: [{ l: '18446744073709551614', price: '-2469135.78', h: '18446744073709551614000' }],
      });
      assert.deepEqual(ends, {
        types: { most: 'decimal128(38, 0)', least: 'decimal128(38, 0)', u: 'uint64' },
        rows: [{ most: '9'.repeat(38), least: `-${'9'.repeat(38)}`, u: '18446744073709551615n' }],
      });
    });

    it('gives huge integers of 39 digits in a decimal of 38, which are refused by name', async () => {
      const [result] = await query(`select 1${'0'.repeat(38)}::hugeint as h`);
      assert.match(result?.error ?? '', /column "h", row 0.* has more digits than the precision 38/);
    });

    it('gives intervals, maps and enumerations as such', async () => {
      const [result] = await query(
        "select interval '14 months 2 days 3.5 seconds' as i, map {'a': 1} as m, 'y'::enum('x', 'y') as e, 'a'::blob as b",
      );
      assert.deepEqual(result, {
        types: {
          i: 'interval[month-day-nano]',
          m: 'map<key: utf8 not null, value: int32>',
          e: 'dictionary<values=utf8, indices=uint8>',
          b: 'binary',
        },
        rows: [{ i: { months: 14, days: 2, nanoseconds: '3500000000n' }, m: [['a', 1]], e: 'y', b: [97] }],
      });
    });
  });
});

/** Fails unless every file was read, and the same in each way. */
function checkAlike(names: readonly string[], outcomes: readonly ServedOutcome[]): void {
  for (const [i, { memory, stream, ranges }] of outcomes.entries()) {
    assert.ok('digest' in memory, `${names[i]}: ${'error' in memory && memory.error}`);
    assert.deepEqual([stream, ranges], [memory, memory], names[i]);
  }
}

function servedFile(folder: 'corpus' | 'own', name: string): ServedFile {
  const url = `/${folder}/${name.split('/').map(encodeURIComponent).join('/')}`;
  return { url, validate: goldLevel(name) };
}

/** The official gold files, by their path in the corpus. */
function goldNames(): string[] {
  const folder = 'arrow-ipc-stream/integration';
  return listFiles(join(folders.corpus, folder), /\.(stream|arrow_file)$/).map((name) => `${folder}/${name}`);
}

function listFiles(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .sort();
}
