import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before, describe } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Report } from '../../bench/harness/report.ts';
import { verifyRecord } from '../../bench/harness/verify.ts';
import { run } from '../../bench/main.ts';
import { suite } from './fixture-suite.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const NODE = ['--conditions=recurve-source', '--import', 'tsx', '--input-type=module', '-e'];

function runNode(code: string): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [...NODE, code], { cwd: root, encoding: 'utf8', timeout: 120_000 });
}

/** Runs the fixture suite as the command does, in a process of its own, so that its standard output can be seen. */
function bench(options: object): { status: number | null; stdout: string; stderr: string } {
  return runNode(benchCode(options));
}

function benchCode(options: object): string {
  const all = { cells: [], arms: [], quick: false, json: true, ...options };
  return `
    const { benchSuite } = await import('./bench/main.ts');
    const { suite } = await import('./test/bench/fixture-suite.ts');
    try {
      process.exitCode = await benchSuite(suite, ${JSON.stringify(all)});
    } catch (error) {
      console.error(error.message);
      process.exitCode = 100;
    }`;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The command itself, with what it prints to standard output. */
function command(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return runNode(`
    const { run } = await import('./bench/main.ts');
    process.exitCode = await run(${JSON.stringify(args)});`);
}

describe('bench', () => {
  let folder = '';

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'recurve-bench-test-'));
  });

  after(() => rmSync(folder, { recursive: true }));

  test('arms of a cell run in processes of their own and are compared round by round', async () => {
    const out = join(folder, 'equal');
    const { status, stdout, stderr } = bench({ cells: ['equal'], rounds: 4, seed: 1, out });
    assert.equal(status, 0, stderr);
    const report = JSON.parse(stdout) as Report;
    assert.deepEqual(Object.keys(report), ['suite', 'env', 'cells']);
    assert.equal(report.suite, suite.name);
    assert.equal(report.cells.length, 1);
    const [cell] = report.cells;
    assert.ok(cell);
    assert.deepEqual(Object.keys(cell), ['cell', 'arms', 'ratios', 'digestsEqual']);
    assert.equal(cell.cell, 'equal');
    assert.equal(cell.digestsEqual, true);
    assert.deepEqual(Object.keys(cell.arms).sort(), ['recurve', 'reversed', 'touch']);
    for (const [name, arm] of Object.entries(cell.arms)) {
      const floor = name === 'touch' ? ['floor'] : [];
      assert.deepEqual(Object.keys(arm).sort(), [...floor, 'median', 'min', 'n', 'p90', 'unit'].sort(), name);
      assert.equal(arm.n, 4);
      assert.equal(arm.unit, 'ms');
      assert.ok(arm.min > 0 && arm.min <= arm.median && arm.median <= arm.p90, name);
    }
    assert.deepEqual(Object.keys(cell.ratios).sort(), ['recurve/reversed', 'recurve/touch']);
    for (const ratio of Object.values(cell.ratios)) {
      assert.deepEqual(Object.keys(ratio), ['median', 'low', 'high']);
      assert.ok(ratio.low <= ratio.median && ratio.median <= ratio.high);
    }

    assert.deepEqual(readdirSync(out).sort(), ['SHA256SUMS', 'env.json', 'raw.csv', 'summary.csv']);
    assert.deepEqual(await verifyRecord(out), []);
    const [, ...lines] = readFileSync(join(out, 'raw.csv'), 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 12);
    const rows = lines.map((line) => line.split(','));
    // Three sets of processes share four rounds, and each round has every arm once.
    assert.deepEqual([...new Set(rows.map((row) => row[4]))], ['1', '2', '3']);
    for (const round of ['1', '2', '3', '4']) {
      const arms = rows.filter((row) => row[3] === round).map((row) => row[2]);
      assert.deepEqual(arms.sort(), ['recurve', 'reversed', 'touch']);
    }
    // Measurements of an arm that takes no time are of many iterations.
    for (const row of rows) assert.ok(Number(row[5]) > 100, row.join());
    for (const row of rows) assert.equal(row[7] === '', row[2] === 'touch', row.join());
  });

  test('the environment names versions and settings, and neither host nor path', () => {
    const text = readFileSync(join(folder, 'equal', 'env.json'), 'utf8');
    const env = JSON.parse(text) as Report['env'];
    assert.equal(env.node, process.versions.node);
    assert.deepEqual(env.versions.peer, '1.2.3');
    assert.match(env.versions.recurve ?? '', /^\d+\.\d+\.\d+/);
    assert.equal(env.seed, 1);
    assert.equal(env.quick, false);
    assert.deepEqual(env.variables, { RECURVE_BENCH_FIXTURE: 'set' });
    assert.ok(env.cores > 0 && env.memoryGiB > 0 && env.cpu !== '');
    for (const secret of [process.env.HOSTNAME, root, tmpdir()]) {
      if (secret) assert.ok(!text.includes(secret.replace(/\/$/, '')), secret);
    }
  });

  test('the order of the arms is another one from round to round, and the same for the same seed', () => {
    const orders = [1, 2].map((n) => {
      const out = join(folder, `order-${n}`);
      assert.equal(bench({ cells: ['equal'], rounds: 6, seed: 3, quick: true, out }).status, 0);
      const lines = readFileSync(join(out, 'raw.csv'), 'utf8').trimEnd().split('\n').slice(1);
      return lines.map((line) => line.split(',').slice(2, 4).join(' '));
    });
    assert.deepEqual(orders[0], orders[1]);
    const first = [1, 2, 3, 4, 5, 6].map((round) => orders[0]?.find((text) => text.endsWith(` ${round}`)));
    assert.ok(new Set(first.map((text) => text?.split(' ')[0])).size > 1, first.join());
  });

  test('a cell that tells processor time has a second one of the same measurements', async () => {
    const out = join(folder, 'busy');
    const { status, stdout, stderr } = bench({ cells: ['busy'], rounds: 2, out });
    assert.equal(status, 0, stderr);
    const [time, cpu] = (JSON.parse(stdout) as Report).cells;
    assert.deepEqual([time?.cell, cpu?.cell], ['busy', 'busy-cpu']);
    for (const cell of [time, cpu])
      assert.deepEqual(Object.keys(cell?.ratios ?? {}), ['recurve/clock', 'recurve/sleeper']);
    // A sleeper's time passes without it; the clock tells its own of four runs.
    assert.ok((time?.arms.sleeper?.median ?? 0) >= 49, stdout);
    assert.ok((cpu?.arms.sleeper?.median ?? 50) < 25, stdout);
    assert.deepEqual([time?.arms.clock?.median, cpu?.arms.clock?.median], [30, 2]);
    assert.ok((cpu?.arms.recurve?.median ?? 0) > 0, stdout);
    assert.deepEqual(await verifyRecord(out), []);
  });

  test('what is prepared for the cells of a run is cleaned up before its folder goes, also when an arm fails', () => {
    for (const name of ['equal', 'failing']) {
      const { stderr } = bench({ cells: [name], rounds: 1 });
      assert.match(stderr, new RegExp(`^prepared ${name}$`, 'm'));
      assert.match(stderr, /^cleaned up, the folder still there$/m);
    }
  });

  test('an arm that is missing on this machine is named with the reason, and cannot be asked for', () => {
    assert.match(bench({ cells: ['equal'], rounds: 1 }).stderr, /^bench fixture: no arm unicorn: there are none$/m);
    const asked = bench({ cells: ['equal'], arms: ['unicorn'], rounds: 1 });
    assert.equal(asked.status, 100);
    assert.match(asked.stderr, /fixture has no arm unicorn here: there are none/);
  });

  test('an arm with a wrong result makes the run fail, says so, and gets no ratio', () => {
    const { status, stdout, stderr } = bench({ cells: ['wrong'], rounds: 1, json: true });
    assert.equal(status, 1);
    const [cell] = (JSON.parse(stdout) as Report).cells;
    assert.equal(cell?.digestsEqual, false);
    assert.deepEqual(cell?.ratios, {});
    assert.match(stderr, /wrong: the arms' results differ/);
    const table = bench({ cells: ['wrong'], rounds: 1, json: false });
    assert.equal(table.status, 1);
    assert.match(table.stdout, /RESULTS DIFFER/);
  });

  test('an arm that throws, and a process that ends, fail the run with the name of arm and cell', () => {
    const failing = bench({ cells: ['failing'], rounds: 1 });
    assert.equal(failing.status, 100);
    assert.equal(failing.stdout, '');
    assert.match(failing.stderr, /arm thrower of fixture\/failing failed: TypeError: no such luck/);
    const dying = bench({ cells: ['dying'], rounds: 1 });
    assert.equal(dying.status, 100);
    assert.match(dying.stderr, /arm leaver of fixture\/dying ended early: exit code 7/);
  });

  test('an arm without a digest that is not declared a floor fails the run', () => {
    const { status, stderr } = bench({ cells: ['silent'], rounds: 1 });
    assert.equal(status, 100);
    assert.match(stderr, /arm touch of fixture\/silent must have a digest or be a floor/);
  });

  test('--arm leaves the others out; the first one left is the reference where recurve is not there', () => {
    const { stdout } = bench({ cells: ['equal'], arms: ['reversed', 'touch'], rounds: 1 });
    const [cell] = (JSON.parse(stdout) as Report).cells;
    assert.deepEqual(Object.keys(cell?.arms ?? {}), ['reversed', 'touch']);
    assert.deepEqual(Object.keys(cell?.ratios ?? {}), ['reversed/touch']);
  });

  test('leaves nothing in the folder for temporary files', () => {
    const left = readdirSync(tmpdir()).filter((name) => /^recurve-bench-(?!test-)/.test(name));
    bench({ cells: ['equal'], rounds: 1 });
    bench({ cells: ['failing'], rounds: 1 });
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => /^recurve-bench-(?!test-)/.test(name)),
      left,
    );
  });

  test('processes of arms end when their parent is killed in the middle', async () => {
    const parent = spawn(process.execPath, [...NODE, benchCode({ cells: ['equal'], rounds: 100_000, quick: true })], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const pids: number[] = [];
    for await (const text of parent.stderr.setEncoding('utf8')) {
      for (const [, pid] of String(text).matchAll(/process (\d+)/g)) pids.push(Number(pid));
      if (pids.length === 3) break;
    }
    assert.equal(pids.length, 3);
    parent.kill('SIGKILL');
    for (let i = 0; i < 100 && pids.some(isRunning); i++) await setTimeout(100);
    assert.deepEqual(pids.filter(isRunning), []);
  });

  test('wrong usage is INVALID_ARGUMENT with exit code 2 and names what there is', async () => {
    const cases: [string[], RegExp][] = [
      [[], /needs the name of a suite/],
      [['ipx'], /no suite "ipx" among ipc, duckdb, ingest, postgres/],
      [['toString'], /no suite/],
      [
        ['ipc', '--cell', 'opens'],
        /no cell "opens" among open, decode-none, decode-full, decode-read, iterate, bulk-sum, value-sum, strings, rows, rows-csp, encode, dictionary-skip/,
      ],
      [['duckdb', '--arm', 'flechette'], /no arm "flechette" among recurve, duckdb-columns, duckdb-chunks/],
      [['ipc', '--cell', 'open', '--arm', 'plain'], /no cell of ipc has the arms plain/],
      [['ipc', '--rounds', '0'], /--rounds is "0"/],
      [['ipc', '--round', '1'], /--round/],
      [['ipc', 'open'], /takes no "open"/],
      [['verify'], /takes one folder/],
    ];
    for (const [args, message] of cases) {
      await assert.rejects(run(args), { status: 'INVALID_ARGUMENT', exitCode: 2, message }, args.join(' '));
    }
  });

  test('list names the cells and arms of every suite', () => {
    const { status, stdout } = command('list');
    assert.equal(status, 0);
    const names = stdout.match(/^ {2}[a-z0-9-]+(?= )/gm)?.map((name) => name.trim());
    assert.deepEqual(names, [
      ...['open', 'decode-none', 'decode-full', 'decode-read', 'iterate'],
      ...['bulk-sum', 'value-sum', 'strings', 'rows', 'rows-csp', 'encode'],
      ...['dictionary-skip', 'dictionary-delta', 'dictionary-whole', 'lz4-decode', 'zstd-decode'],
      ...['numeric', 'mixed', 'strings', 'edge-strings', 'flights', 'flights-to-file'],
      ...['mixed', 'numeric'],
      ...['fact', 'nums', 'bars', 'small', 'one', 'agg'],
      ...['scan', 'grouped', 'two-dimensions', 'time-filter', 'two-measures', 'join', 'aggregate-table'],
      ...['connect', 'ingest'],
    ]);
    assert.match(stdout, /duckdb-chunks \(floor\)/);
  });

  for (const [name, cells] of [
    [
      'ipc',
      [
        ...['open', 'decode-none', 'decode-full', 'decode-read', 'iterate'],
        ...['bulk-sum', 'value-sum', 'strings', 'rows', 'rows-csp', 'encode'],
        ...['dictionary-skip', 'dictionary-delta', 'dictionary-whole', 'lz4-decode', 'zstd-decode'],
      ],
    ],
    ['duckdb', ['numeric', 'mixed', 'strings', 'edge-strings', 'flights', 'flights-to-file']],
    ['ingest', ['mixed', 'numeric']],
  ] as const) {
    test(`${name}: recurve and its peers give the same results in every cell`, () => {
      const { status, stdout, stderr } = command(name, '--quick', '--rounds', '1', '--json');
      assert.equal(status, 0, stderr);
      const report = JSON.parse(stdout) as Report;
      assert.deepEqual(
        report.cells.map(({ cell, digestsEqual }) => [cell, digestsEqual]),
        cells.map((cell) => [cell, true]),
      );
      for (const { cell, arms, ratios } of report.cells) {
        const others = Object.keys(arms).filter((arm) => arm !== 'recurve');
        // No peer but pyarrow validates, and that is not everywhere.
        const least = cell === 'decode-full' ? 0 : cell === 'decode-read' || cell.startsWith('dictionary-') ? 1 : 2;
        assert.ok(others.length >= least, cell);
        assert.deepEqual(Object.keys(ratios).sort(), others.map((arm) => `recurve/${arm}`).sort(), cell);
      }
    });
  }

  test('verify is exit code 0 for a good record and 1 for a changed one', () => {
    const out = join(folder, 'equal');
    assert.deepEqual(command('verify', out).status, 0);
    rmSync(join(out, 'env.json'));
    const { status, stderr } = command('verify', out);
    assert.equal(status, 1);
    assert.match(stderr, /env\.json/);
  });
});
