import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import type { Parameters } from 'recurve/adbc';
import { Field, makeColumn, type RecurveError } from 'recurve/arrow';
import { connectFake, failsWith } from './fixture.ts';

const scripts = {
  three: {},
  insert: { batches: 0, rowsAffected: 4 },
  many: { batches: 1000, batchMs: 1 },
  slow: { submitMs: 10_000 },
};

describe('a statement', () => {
  test('is prepared once and run many times, with what is bound or given', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const statement = await connection.prepare('three');
    assert.deepEqual(statement.parameterNames, ['1', 'name']);
    assert.equal((await (await statement.executeQuery()).table()).numRows, 30);
    const bound = [1, 'a'];
    statement.bind(bound);
    bound.push('later');
    assert.equal((await (await statement.executeQuery()).table()).numRows, 30);
    await statement.executeUpdate({ name: 2n });
    await statement.executeUpdate(undefined, { path: 'p' });
    assert.deepEqual(
      driver.requests.map(({ parameters }) => parameters),
      [[], [1, 'a'], { name: 2n }, [1, 'a']],
    );
    assert.equal(driver.requests.at(-1)?.path, 'p');
    assert.equal(driver.calls.filter((call) => call === 'prepare three').length, 1);
  });

  test('gives the rows that it changed', async (t) => {
    const { connection } = await connectFake(t, scripts);
    assert.equal(await (await connection.prepare('insert')).executeUpdate(), 4);
  });

  test('ends its earlier result when it runs again', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const statement = await connection.prepare('many');
    const first = await statement.executeQuery();
    const second = await statement.executeQuery();
    await assert.rejects(first.table(), failsWith('INVALID_STATE', /another call/));
    assert.equal((await second.rows().next()).done, false);
  });

  test('is cancelled while the source works, and while its result is read', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const slow = await connection.prepare('slow');
    const working = assert.rejects(slow.executeUpdate(), failsWith('CANCELLED', /statement was cancelled/));
    await slow.cancel();
    await working;

    const many = await connection.prepare('many');
    const result = await many.executeQuery();
    await many.cancel();
    assert.equal(driver.alive.results, 0, 'cancel waits until the source has stopped');
    await assert.rejects(result.table(), failsWith('CANCELLED', /statement was cancelled/));
    assert.equal(result.delivery.outcome, 'cancelled');
    assert.equal((await (await (await connection.prepare('three')).executeQuery()).table()).numRows, 30);
  });

  test('that is not running has nothing to cancel, whatever else runs', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const statement = await connection.prepare('three');
    const other = await connection.query('many');
    await assert.rejects(statement.cancel(), failsWith('INVALID_STATE', /not running/));
    assert.equal((await other.rows().next()).done, false);
  });

  test('is closed twice without harm, ends its result and is unusable then', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const statement = await connection.prepare('many');
    const result = await statement.executeQuery();
    await Promise.all([statement.close(), statement.close(), statement[Symbol.asyncDispose]()]);
    assert.deepEqual(driver.calls.slice(-2), ['stop many', 'close statement many']);
    await assert.rejects(result.table(), failsWith('INVALID_STATE'));
    await assert.rejects(statement.executeQuery(), failsWith('INVALID_STATE', /statement is closed/));
    await assert.rejects(statement.executeUpdate(), failsWith('INVALID_STATE', /statement is closed/));
    await assert.rejects(statement.cancel(), failsWith('INVALID_STATE', /statement is closed/));
    assert.throws(() => statement.bind([]), failsWith('INVALID_STATE', /statement is closed/));
  });

  test('that is closed while another result is read leaves that alone, and is freed with the next call', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const statement = await connection.prepare('three');
    const result = await connection.query('many');
    await statement.close();
    assert.equal(driver.alive.statements, 1);
    const rows = result.rows();
    assert.equal((await rows.next()).done, false);
    await rows.return?.();
    await connection.execute('insert');
    assert.deepEqual(driver.calls.slice(-3), ['stop many', 'close statement three', 'run insert']);
  });

  test('that the user forgets is closed with its connection', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    await connection.prepare('three');
    await connection.close();
    assert.equal(driver.alive.statements, 0);
  });
});

describe('parameters', () => {
  const int32 = { kind: 'int', bitWidth: 32, signed: true } as const;
  const columnOf = (length: number) =>
    makeColumn(new Field('', int32), { type: int32, length, values: new Int32Array(length) });

  test('of every kind that a driver takes are handed on as they are', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const values = [
      null,
      undefined,
      true,
      1.5,
      Number.NaN,
      2n ** 100n,
      '',
      new Date(0),
      new Uint8Array(2),
      columnOf(1),
    ];
    await connection.execute('insert', values);
    await connection.execute('insert', Object.assign(Object.create(null), { a: 1, ['__proto__']: 2 }));
    assert.deepEqual(driver.requests[0]?.parameters, values);
    assert.deepEqual(Object.entries(driver.requests[1]?.parameters ?? {}), [
      ['a', 1],
      ['__proto__', 2],
    ]);
  });

  test('that no Arrow type stands for are refused by name, before the source is asked, and never shown', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const wrong: [unknown, RegExp][] = [
      [[1, Symbol('s')], /^parameter 2 is a symbol/],
      [[{ password: 'hunter2' }], /^parameter 1 is an object of Object/],
      [{ when: new Date(Number.NaN) }, /^parameter "when" is an invalid Date/],
      [[[1, 2]], /^parameter 1 is an array/],
      [{ f: () => 1 }, /^parameter "f" is a function/],
      [[columnOf(2)], /^parameter 1 is a column of 2 values/],
      [{ signal: new AbortController().signal }, /^parameter "signal" is an object of AbortSignal/],
      ['hunter2', /^parameters must be an array, .* not a string/],
      [new Map([['a', 'hunter2']]), /not an object of Map/],
      [new Uint8Array(3), /not an object of Uint8Array/],
      [null, /not null/],
    ];
    const statement = await connection.prepare('three');
    for (const [parameters, message] of wrong) {
      const given = parameters as Parameters;
      const check = (error: RecurveError) =>
        failsWith('INVALID_ARGUMENT', message)(error) && !`${error.message} ${error.hint}`.includes('hunter2');
      await assert.rejects(connection.query('three', given), check);
      await assert.rejects(statement.executeUpdate(given), check);
      assert.throws(() => statement.bind(given), check);
    }
    assert.deepEqual(driver.requests, []);
  });
});
