import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { int32, utf8 } from '@uwdata/flechette';
import { tableFromIPC } from '../../src/arrow/validate/reader.ts';
import { parseArguments } from '../../src/cli/argument.ts';
import { commands } from '../../src/cli/commands.ts';
import { exitCodeOf, toRecurveError } from '../../src/cli/failure.ts';
import { query } from '../../src/cli/query.ts';
import { RecurveError } from '../../src/error.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';
import { type FakeSource, fakeSource } from './fake-source.ts';
import { makeBatch } from './format/batch.ts';

const batch = makeBatch(['n', [1, 2], int32()], ['t', ['a', null], utf8()]);
/** 1 MiB of text. */
const large = makeBatch(['t', ['x'.repeat(1 << 20)], utf8()]);
const csv = 'n,t\n1,a\n2,\n';

/** A source of `count` batches; endless when that is Infinity. */
function source(count = 1): FakeSource {
  return fakeSource({ schema: batch.schema, next: (index) => (index < count ? batch : undefined) });
}

/** Runs `recurve query` and gives its exit code. */
async function run(argv: readonly string[], io: FakeIo, from: FakeSource = source()): Promise<number> {
  const options = commands.find(({ name }) => name === 'query')?.options ?? [];
  try {
    return await query(parseArguments(argv, options), io, from.open);
  } catch (error) {
    await io.stderr.write(new TextEncoder().encode(`${toRecurveError(error).message}\n`));
    return exitCodeOf(toRecurveError(error));
  }
}

describe('recurve query', () => {
  const top = mkdtempSync(join(tmpdir(), 'recurve-query-'));
  after(() => rmSync(top, { recursive: true }));
  const fresh = (): string => mkdtempSync(join(top, 'x-'));

  test('writes CSV into a pipe and a table on a terminal', async () => {
    const pipe = fakeIo();
    assert.equal(await run(['select'], pipe), 0);
    assert.equal(pipe.out(), csv);
    assert.equal(pipe.err(), '');
    const terminal = fakeIo({ stdoutIsTerminal: true });
    assert.equal(await run(['select'], terminal), 0);
    assert.match(terminal.out(), /^┌/);
  });

  test('uses colours on a terminal only where NO_COLOR and TERM let it', async () => {
    const hasColor = async (env: Record<string, string>): Promise<boolean> => {
      const io = fakeIo({ stdoutIsTerminal: true, env });
      await run(['select'], io);
      return io.out().includes('\u001b');
    };
    assert.ok(await hasColor({ TERM: 'xterm' }));
    assert.ok(await hasColor({ TERM: 'xterm', NO_COLOR: '' }));
    assert.ok(!(await hasColor({ TERM: 'xterm', NO_COLOR: '1' })));
    assert.ok(!(await hasColor({ TERM: 'dumb' })));
  });

  test('takes the format from -f before the suffix of -o, and the suffix before all else', async () => {
    const folder = fresh();
    const path = join(folder, 'x.jsonl');
    assert.equal(await run(['select', '-o', path], fakeIo({ stdoutIsTerminal: true })), 0);
    assert.equal(readFileSync(path, 'utf8'), '{"n":1,"t":"a"}\n{"n":2,"t":null}\n');
    assert.equal(await run(['select', '-o', path, '-f', 'csv'], fakeIo()), 0);
    assert.equal(readFileSync(path, 'utf8'), csv);
    assert.equal(await run(['select', '-o', join(folder, 'X.ARROWS')], fakeIo()), 0);
    assert.equal(tableFromIPC(readFileSync(join(folder, 'X.ARROWS'))).numRows, 2);
    assert.deepEqual(readdirSync(folder).sort(), ['X.ARROWS', 'x.jsonl']);
  });

  test('writes to standard output for -o -', async () => {
    const io = fakeIo();
    assert.equal(await run(['select', '-o', '-'], io), 0);
    assert.equal(io.out(), csv);
  });

  test('writes Arrow files and streams that hold the result', async () => {
    for (const format of ['arrow', 'arrows']) {
      const pieces: Uint8Array[] = [];
      const io = fakeIo();
      const stdout = { ...io.stdout, write: async (bytes: Uint8Array) => void pieces.push(bytes.slice()) };
      assert.equal(await run(['select', '-f', format], { ...io, stdout }, source(3)), 0);
      const table = tableFromIPC(Buffer.concat(pieces));
      assert.equal(table.numRows, 6);
      assert.deepEqual(table.toArray().slice(0, 2), [
        { n: 1, t: 'a' },
        { n: 2, t: null },
      ]);
    }
  });

  test('asks the source nothing when the output cannot be written or its format is not known', async () => {
    const from = source();
    const io = fakeIo();
    assert.equal(await run(['select', '-o', join(top, 'none', 'x.csv')], io, from), 1);
    assert.equal(await run(['select', '-o', 'x.xlsx'], io, from), 2);
    assert.equal(await run(['select', '-o', 'x'], io, from), 2);
    assert.equal(await run(['select', '--timeout', '0'], io, from), 2);
    assert.equal(await run(['select', '--batch-rows', '1.5'], io, from), 2);
    assert.equal(await run(['select', '--param', 'n:int=x'], io, from), 2);
    assert.deepEqual(from.runs, []);
    assert.equal(io.out(), '');
    assert.match(io.err(), /its folder does not exist\n.*"\.xlsx".*\n.*no suffix/);
  });

  test('hands statement, parameters, path and batch size to the source', async () => {
    const from = source();
    await run(['duckdb:x', 'select $a', '--param', 'a:int=5', '--path', 'fake', '--batch-rows', '10'], fakeIo(), from);
    const [{ uri, sql, request } = assert.fail('did not run')] = from.runs;
    assert.deepEqual([uri, sql], ['duckdb:x', 'select $a']);
    assert.deepEqual(request.parameters, { a: 5 });
    assert.equal(request.path, 'fake');
    assert.equal(request.limit.maxRows, 10);
    assert.ok(from.closed);
  });

  test('prints the delivery report as one line of JSON after the data, also when the result failed', async () => {
    const io = fakeIo();
    assert.equal(await run(['select', '--delivery'], io), 0);
    const report = JSON.parse(io.err());
    assert.deepEqual([report.path, report.rows, report.batches, report.outcome], ['fake', 2, 1, 'complete']);
    assert.equal(io.err().split('\n').length, 2);
    const failing = fakeSource({
      schema: batch.schema,
      next: (index) => (index === 0 ? batch : Promise.reject(new RecurveError('INVALID_DATA', 'no number: "x"'))),
    });
    const failed = fakeIo();
    assert.equal(await run(['select', '--delivery'], failed, failing), 1);
    const [line = ''] = failed.err().split('\n');
    assert.deepEqual([JSON.parse(line).outcome, JSON.parse(line).rows], ['failed', 2]);
  });

  test('removes the half-written file of a result that failed, and keeps the old one', async () => {
    const folder = fresh();
    const path = join(folder, 'x.csv');
    writeFileSync(path, 'old');
    const failing = fakeSource({
      schema: batch.schema,
      next: (index) => (index < 2 ? batch : Promise.reject(new RecurveError('INVALID_DATA', 'no number: "x"'))),
    });
    const io = fakeIo();
    assert.equal(await run(['select', '-o', path], io, failing), 1);
    assert.equal(readFileSync(path, 'utf8'), 'old');
    assert.deepEqual(readdirSync(folder), ['x.csv']);
    assert.match(io.err(), /no number: "x"/);
  });

  test('never completes the JSON of a result that failed', async () => {
    const failing = fakeSource({
      schema: batch.schema,
      next: (index) => (index < 1 ? batch : Promise.reject(new RecurveError('INVALID_DATA', 'broken'))),
    });
    const io = fakeIo();
    assert.equal(await run(['select', '-f', 'json'], io, failing), 1);
    assert.throws(() => JSON.parse(io.out()), SyntaxError);
  });

  test('prints nothing on standard output when the statement is refused', async () => {
    const refused = fakeSource({
      schema: batch.schema,
      next: () => undefined,
      refusal: new RecurveError('INVALID_ARGUMENT', 'syntax error at "selec"'),
    });
    const io = fakeIo();
    assert.equal(await run(['selec'], io, refused), 1);
    assert.equal(io.out(), '');
    assert.ok(refused.closed);
  });

  test('stops the source at once, and succeeds, when the reader has had enough', async () => {
    const endless = source(Infinity);
    const gone = new RecurveError('IO', 'the reader of standard output has gone', { exitCode: 0 });
    let writes = 0;
    const io = fakeIo({
      onWrite: () => {
        if (++writes === 3) throw gone;
      },
    });
    assert.equal(await run(['select'], io, endless), 0);
    assert.ok(endless.stopped && endless.closed);
  });

  test('reads no faster than it can write', async () => {
    const endless = fakeSource({ schema: large.schema, next: () => large });
    const io = fakeIo({ onWrite: () => new Promise(() => {}) });
    const running = run(['select'], io, endless);
    await new Promise((done) => setTimeout(done, 100));
    // The window's 32 MiB, one batch over, and the one that is being written.
    assert.ok(endless.pulled >= 32 && endless.pulled <= 34, `${endless.pulled} batches of 1 MiB`);
    io.interrupt(new RecurveError('CANCELLED', 'interrupted', { exitCode: 130 }));
    assert.equal(await running, 130);
  });

  test('ends with 130 when interrupted, the source told and the file removed', async () => {
    const folder = fresh();
    const hanging = fakeSource({
      schema: batch.schema,
      next: (index) => (index < 1 ? batch : new Promise<undefined>(() => {})),
    });
    const io = fakeIo();
    const running = run(['select', '-o', join(folder, 'x.csv')], io, hanging);
    await new Promise((done) => setTimeout(done, 50));
    io.interrupt(new RecurveError('CANCELLED', 'interrupted', { exitCode: 130 }));
    assert.equal(await running, 130);
    assert.ok(hanging.stopped && hanging.closed);
    assert.deepEqual(readdirSync(folder), []);
    assert.equal(io.err(), 'interrupted\n');
  });

  test('ends with 4 when the time is over, for a slow source as for a slow reader', async () => {
    const hanging = fakeSource({ schema: batch.schema, next: () => new Promise<undefined>(() => {}) });
    const io = fakeIo();
    assert.equal(await run(['select', '--timeout', '0.05'], io, hanging), 4);
    assert.equal(io.err(), 'not done within 0.05 s\n');
    assert.ok(hanging.stopped && hanging.closed);
    const slow = fakeIo({ onWrite: () => new Promise(() => {}) });
    const endless = fakeSource({ schema: large.schema, next: () => large });
    assert.equal(await run(['select', '--timeout', '0.05'], slow, endless), 4);
  });

  test('shows progress on a terminal only, only after half a second, and clears it', async () => {
    const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));
    const slow = (ms: number): FakeSource =>
      fakeSource({
        schema: batch.schema,
        next: async (index) => {
          if (index === 0) return batch;
          await wait(ms);
          return undefined;
        },
      });
    const terminal = fakeIo({ stderrIsTerminal: true, env: { TERM: 'xterm' } });
    assert.equal(await run(['select'], terminal, slow(800)), 0);
    assert.match(terminal.err(), /\r2 rows {2}\d+ B {2}\d+ rows\/s {2}\d+ ms/);
    assert.ok(terminal.err().endsWith('\r\u001b[K'));
    assert.equal(terminal.out(), csv);
    const quick = fakeIo({ stderrIsTerminal: true, env: { TERM: 'xterm' } });
    await run(['select'], quick, slow(10));
    assert.equal(quick.err(), '');
    const piped = fakeIo();
    await run(['select'], piped, slow(800));
    assert.equal(piped.err(), '');
  });
});
