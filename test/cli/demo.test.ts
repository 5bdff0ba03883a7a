import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Arguments } from '../../src/cli/argument.ts';
import { demo } from '../../src/cli/demo.ts';
import { madeUpFlights } from '../../src/cli/demo-data.ts';
import { RecurveError } from '../../src/error.ts';
import { fakeIo } from './fake-io.ts';

const none = new Arguments([], new Map());
const fileOf = (text: string): string => /written {3}(.*\.arrow):/.exec(text)?.[1] ?? assert.fail(text);

describe('recurve demo', () => {
  test('without the flights makes up its own, says so, and checks them all the same', async () => {
    const io = fakeIo();
    assert.equal(await demo(none, io, madeUpFlights), 0);
    assert.match(io.out(), /^data {6}made up: 3,000,000 rows/);
    assert.match(io.out(), /agree: 3,000,000 rows, /);
    const bars = [...io.out().matchAll(/^ {2}\d\d [█▏▎▍▌▋▊▉ ]{48} ([\d,]+)$/gm)];
    assert.equal(bars.length, 24);
    const flights = bars.reduce((sum, [, count = '']) => sum + Number(count.replaceAll(',', '')), 0);
    assert.equal(flights, 3_000_000);
    assert.equal(io.err(), '');
    assert.ok(!existsSync(fileOf(io.out())));
  });

  test('stops when the user interrupts, and leaves no file', async () => {
    const reason = new RecurveError('CANCELLED', 'interrupted', { exitCode: 130 });
    const io = fakeIo({
      onWrite: (text) => {
        if (text.startsWith('data')) io.interrupt(reason);
      },
    });
    await assert.rejects(demo(none, io, madeUpFlights), reason);
  });
});
