import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { openOutput, writeError, writeFully } from '../../src/cli/output.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('an output file', () => {
  const top = mkdtempSync(join(tmpdir(), 'recurve-output-'));
  after(() => rmSync(top, { recursive: true }));
  const fresh = (): string => mkdtempSync(join(top, 'x-'));

  test('appears whole, and until then the old one stays', async () => {
    const folder = fresh();
    const path = join(folder, 'out.csv');
    writeFileSync(path, 'old');
    const output = await openOutput(path);
    await output.write(bytes('new'));
    assert.equal(readFileSync(path, 'utf8'), 'old');
    await output.commit();
    await output.discard();
    assert.equal(readFileSync(path, 'utf8'), 'new');
    assert.deepEqual(readdirSync(folder), ['out.csv']);
  });

  test('that is given up leaves nothing behind', async () => {
    const folder = fresh();
    const output = await openOutput(join(folder, 'out.csv'));
    await output.write(bytes('half'));
    await output.discard();
    await output.discard();
    await output.commit();
    assert.deepEqual(readdirSync(folder), []);
  });

  test('keeps the permissions of the file that it replaces, and replaces what a link points to', async () => {
    const folder = fresh();
    const target = join(folder, 'target');
    writeFileSync(target, 'old');
    chmodSync(target, 0o600);
    symlinkSync(target, join(folder, 'link'));
    const output = await openOutput(join(folder, 'link'));
    await output.write(bytes('new'));
    await output.commit();
    assert.equal(readFileSync(target, 'utf8'), 'new');
    assert.equal(statSync(target).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['link', 'target']);
  });

  test('goes where a link points that has led to nothing so far', async () => {
    const folder = fresh();
    symlinkSync('second', join(folder, 'link'));
    symlinkSync(join(folder, 'target'), join(folder, 'second'));
    const output = await openOutput(join(folder, 'link'));
    await output.write(bytes('new'));
    await output.commit();
    assert.ok(lstatSync(join(folder, 'link')).isSymbolicLink());
    assert.equal(readFileSync(join(folder, 'target'), 'utf8'), 'new');
    assert.deepEqual(readdirSync(folder), ['link', 'second', 'target']);
  });

  test('without a folder, or that is one, is refused at once', async () => {
    const folder = fresh();
    await assert.rejects(openOutput(join(folder, 'none', 'x.csv')), {
      status: 'NOT_FOUND',
      exitCode: 1,
      message: /^cannot write ".*x\.csv": its folder does not exist$/,
    });
    await assert.rejects(openOutput(folder), { message: /it is a folder/, exitCode: 1 });
    assert.deepEqual(readdirSync(folder), []);
  });

  test('on a full device says so in one line', { skip: !existsSync('/dev/full') && 'no /dev/full here' }, async () => {
    const output = await openOutput('/dev/full');
    await assert.rejects(output.write(bytes('x')), {
      status: 'IO',
      exitCode: 1,
      message: 'cannot write "/dev/full": no space left on the device',
    });
    await output.discard();
    assert.ok(existsSync('/dev/full'));
  });
});

describe('writing', () => {
  test('goes on after a short write until every byte is out', async () => {
    const taken: number[] = [];
    await writeFully(
      async (all, offset) => {
        const count = Math.min(3, all.length - offset);
        for (const byte of all.subarray(offset, offset + count)) taken.push(byte);
        return count;
      },
      Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
    );
    assert.deepEqual(taken, [1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test('to a reader who has gone is no failure of the command', () => {
    const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' });
    assert.equal((writeError('standard output', gone) as { exitCode: number }).exitCode, 0);
  });

  test('leaves errors that are not the system’s as they are', () => {
    const error = new Error('x');
    assert.equal(writeError('x', error), error);
  });
});
