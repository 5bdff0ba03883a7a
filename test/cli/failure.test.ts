import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exitCodeOf, formatError, toRecurveError } from '../../src/cli/failure.ts';
import { RecurveError } from '../../src/error.ts';
import { statusCodes } from '../../src/status.ts';

describe('a failure', () => {
  test('is one line, and its hint another, whatever the source wrote', () => {
    const error = new RecurveError('INVALID_ARGUMENT', 'Parser Error:\n  near "selec"\r\n', { hint: 'write\nselect' });
    assert.equal(
      formatError(error, { debug: false }),
      'error[INVALID_ARGUMENT]: Parser Error: near "selec"\nhint: write select\n',
    );
  });

  test('shows stacks of itself and its causes only for debugging', () => {
    const error = new RecurveError('IO', 'outer', { cause: new Error('inner') });
    assert.doesNotMatch(formatError(error, { debug: false }), /inner|\n +at /);
    const text = formatError(error, { debug: true });
    assert.match(text, /^error\[IO\]: outer\n/);
    assert.match(text, /Error: inner\n +at /);
  });

  test('has the exit code of its status unless it brings one', () => {
    for (const [status, codes] of Object.entries(statusCodes)) {
      assert.equal(exitCodeOf(new RecurveError(status as keyof typeof statusCodes, 'x')), codes.exit);
    }
    assert.equal(exitCodeOf(new RecurveError('INVALID_ARGUMENT', 'x', { exitCode: 2 })), 2);
  });

  test('of the system or of the program itself becomes ours', () => {
    const missing = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', syscall: 'open' });
    assert.equal(toRecurveError(missing).status, 'NOT_FOUND');
    assert.equal(toRecurveError(Object.assign(new Error('x'), { code: 'EIO', syscall: 'read' })).status, 'IO');
    assert.equal(toRecurveError(new TypeError('x is not a function')).status, 'INTERNAL');
    assert.equal(exitCodeOf(toRecurveError('a string')), 1);
  });

  test('never shows a password', () => {
    for (const text of [
      'cannot reach postgresql://bob:s3cret@host/db',
      'athena://x?password=s3cret&region=eu',
      "uri 'https://bob:s3cret@host'",
    ]) {
      const shown = formatError(new RecurveError('IO', text), { debug: false });
      assert.doesNotMatch(shown, /s3cret/, text);
      assert.match(shown, /\*\*\*/);
    }
    const plain = 'duckdb:///a/b.db at 12:30';
    assert.equal(formatError(new RecurveError('IO', plain), { debug: false }), `error[IO]: ${plain}\n`);
  });
});
