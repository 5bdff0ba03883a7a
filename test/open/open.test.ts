import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test, { describe } from 'node:test';
import { type OpenOptions, open, RecurveError } from 'recurve';

function usage(message: RegExp, hint?: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(RecurveError.is(error), `${error}`);
    assert.deepEqual([error.status, error.exitCode], ['INVALID_ARGUMENT', 2]);
    assert.match(error.message, message);
    if (hint !== undefined) assert.match(error.hint ?? '', hint);
    assert.ok(!`${error.message} ${error.hint}`.includes('hunter2'), 'a secret is shown');
    return true;
  };
}

describe('open', () => {
  test('refuses a scheme without a driver and names those there are', async () => {
    for (const scheme of ['athena', 'grpc', 'foo+bar']) {
      await assert.rejects(
        open(`${scheme}://h/db`),
        usage(new RegExp(`no driver for "${scheme.replace('+', '\\+')}://h/db": known schemes are duckdb:`)),
      );
    }
  });

  test('never shows a secret', async () => {
    await assert.rejects(open('foo://me:hunter2@h/db?token=hunter2'), usage(/"foo:\/\/me:\*\*\*@h\/db\?token=\*\*\*"/));
    await assert.rejects(open('host=h password=hunter2'), usage(/password=\*\*\*/, /duckdb:\/\/\/path/));
    const secret = { uri: 'duckdb:', password: ['hunter2'] } as unknown as OpenOptions;
    await assert.rejects(open(secret), usage(/option password is a object, but must be a string/));
  });

  test('takes URIs only and says what a path would be', async () => {
    await assert.rejects(open(':memory:'), usage(/":memory:" is not a URI/, /^did you mean duckdb: /));
    await assert.rejects(open(''), usage(/"" is not a URI/, /^did you mean duckdb: /));
    await assert.rejects(open('/tmp/a b.db'), usage(/is not a URI/, /^did you mean duckdb:\/\/\/tmp\/a%20b\.db\?$/));
    await assert.rejects(open('x.db'), usage(/is not a URI/, /^did you mean duckdb:\/\/\/.*\/x\.db\?$/));
    await assert.rejects(open('C:\\x.db'), usage(/is not a URI/));
  });

  test('takes options as strings', async () => {
    const wrong: [unknown, RegExp][] = [
      [5, /not 5/],
      [null, /not null/],
      [{}, /needs a uri/],
      [{ uri: 'duckdb:', threads: 4 }, /option threads is 4, but must be a string/],
    ];
    for (const [options, message] of wrong) await assert.rejects(open(options as OpenOptions), usage(message));
  });

  test('refuses options of the call that it cannot use, and a call that is over', async () => {
    await assert.rejects(
      open('duckdb:', { timeoutMs: -1 }),
      (error) => RecurveError.is(error) && /timeoutMs is -1/.test(error.message),
    );
    const over = open('duckdb:', { signal: AbortSignal.abort() });
    await assert.rejects(over, (error) => RecurveError.is(error) && error.status === 'CANCELLED');
  });

  test('loads a driver when it is asked for and not before', () => {
    const source = readFileSync(new URL('../../src/open/open.ts', import.meta.url), 'utf8');
    const statics = source.split('\n').filter((line) => line.startsWith('import ') && line.includes('/driver/'));
    assert.deepEqual(statics, []);
  });
});
