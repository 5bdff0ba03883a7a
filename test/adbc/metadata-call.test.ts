import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tableFromIPC as foreignTable } from 'apache-arrow';
import { ConnectionOption, InfoCode, ObjectDepth, type ObjectOptions, type StatisticOptions } from 'recurve/adbc';
import { tableToIPC } from 'recurve/arrow';
import { connectFake, failsWith } from './fixture.ts';

const scripts = { three: {}, endless: { batches: 1e6, batchMs: 1 } };

describe('metadata calls', () => {
  test('hand the driver filters with every default filled in', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    await connection.getObjects();
    await connection.getObjects({
      depth: ObjectDepth.Tables,
      catalog: '',
      dbSchema: null,
      tableName: 'a%',
      tableType: ['VIEW'],
      columnName: '_',
    });
    await connection.getStatistics();
    await connection.getStatistics({ catalog: 'c', approximate: false });
    assert.deepEqual(driver.calls.slice(2), [
      'objects {"depth":0}',
      'objects {"depth":3,"catalog":"","tableName":"a%","tableType":["VIEW"],"columnName":"_"}',
      'statistics {"approximate":true}',
      'statistics {"catalog":"c","approximate":false}',
    ]);
  });

  test('getInfo gives the codes that are asked for and known, each once, in that order', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const read = async (codes?: readonly number[]): Promise<unknown[]> =>
      [...foreignTable(tableToIPC(await connection.getInfo(codes)))].map((row) => {
        const value: unknown = row?.info_value;
        return [
          row?.info_name,
          typeof value === 'object' && value !== null ? [...(value as Iterable<unknown>)] : value,
        ];
      });
    const all = [
      [0, 'fake'],
      [3, true],
      [103, 1001000n],
      [10_000, ['one', 'two']],
    ];
    assert.deepEqual(await read(), all);
    assert.deepEqual(await read([InfoCode.DriverAdbcVersion, 999, 0, 103]), [all[2], all[0]]);
    assert.deepEqual(await read([]), []);
  });

  test('getTableTypes and getStatisticNames are tables', async (t) => {
    const { connection } = await connectFake(t, scripts);
    assert.deepEqual((await connection.getTableTypes()).toArray(), [{ table_type: 'TABLE' }, { table_type: 'VIEW' }]);
    assert.equal((await connection.getStatisticNames()).numRows, 0);
  });

  test('refuse what they cannot mean, without asking the source', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const refused: readonly (readonly [work: Promise<unknown>, message: RegExp])[] = [
      [connection.getObjects({ depth: 4 as 3 }), /depth is 4, but must be 0, 1, 2 or 3/],
      [connection.getObjects({ catalog: 1 as unknown as string }), /catalog is 1/],
      [connection.getObjects({ tableType: 'VIEW' as unknown as string[] }), /tableType is "VIEW"/],
      [connection.getObjects({ tabelName: 'x' } as ObjectOptions), /unknown key tabelName/],
      [connection.getStatistics({ approximate: 'no' as unknown as boolean }), /approximate is "no"/],
      [connection.getStatistics({ columnName: 'x' } as StatisticOptions), /unknown key columnName/],
      [connection.getInfo([-1]), /info code -1/],
      [connection.getInfo([0.5]), /info code 0.5/],
      [connection.getInfo(0 as unknown as number[]), /codes is 0/],
      [connection.setOption('fake.flavour', 1 as unknown as string), /fake.flavour is 1/],
      [connection.getInfo([], { timeout: 5 } as object), /unknown option timeout/],
    ];
    for (const [work, message] of refused) await assert.rejects(work, failsWith('INVALID_ARGUMENT', message));
    assert.deepEqual(driver.calls.slice(2), []);
  });

  test('end a result that the source still sends, as any call does', async (t) => {
    const { connection } = await connectFake(t, scripts);
    for (const call of [
      () => connection.getInfo(),
      () => connection.getObjects(),
      () => connection.getTableTypes(),
      () => connection.getStatistics(),
      () => connection.getOption('fake.flavour'),
    ]) {
      const result = await connection.query('endless');
      await call();
      await assert.rejects(result.table(), failsWith('INVALID_STATE'));
    }
  });

  test('take a signal and a limit, and are refused on a closed connection', async (t) => {
    const { connection, driver } = await connectFake(t, scripts, 20);
    await assert.rejects(connection.getObjects({}, { timeoutMs: 1 }), failsWith('TIMEOUT'));
    await assert.rejects(connection.getInfo([], { signal: AbortSignal.abort() }), failsWith('CANCELLED'));
    driver.failNext.set('table types', new Error('the source is gone'));
    await assert.rejects(connection.getTableTypes(), failsWith('INTERNAL', /the source is gone/));
    await connection.close();
    await assert.rejects(connection.getObjects(), failsWith('INVALID_STATE', /closed/));
    await assert.rejects(connection.getStatisticNames(), failsWith('INVALID_STATE', /closed/));
    await assert.rejects(connection.getOption('fake.flavour'), failsWith('INVALID_STATE', /closed/));
  });
});

describe('options', () => {
  test('that only the source knows go to it', async (t) => {
    const { connection } = await connectFake(t, scripts);
    assert.equal(await connection.getOption('fake.flavour'), 'plain');
    await connection.setOption('fake.flavour', 'sour');
    assert.equal(await connection.getOption('fake.flavour'), 'sour');
  });

  test('that nobody knows are NOT_IMPLEMENTED to set and NOT_FOUND to get', async (t) => {
    const { connection } = await connectFake(t, scripts);
    await assert.rejects(connection.setOption('fake.colour', 'x'), failsWith('NOT_IMPLEMENTED', /"fake.colour"/));
    await assert.rejects(connection.getOption('fake.colour'), failsWith('NOT_FOUND', /"fake.colour"/));
    await assert.rejects(connection.setReadOnly(true), failsWith('NOT_IMPLEMENTED', /adbc.connection.readonly/));
  });

  test('autocommit is the connection’s own', async (t) => {
    const { connection, driver } = await connectFake(t, scripts);
    await connection.setOption(ConnectionOption.AutoCommit, 'false');
    assert.equal(await connection.getOption(ConnectionOption.AutoCommit), 'false');
    await assert.rejects(
      connection.setOption(ConnectionOption.AutoCommit, 'no'),
      failsWith('INVALID_ARGUMENT', /"no"/),
    );
    assert.deepEqual(driver.calls.slice(2), []);
  });
});

describe('what is known of a statement', () => {
  test('comes from the driver, and runs nothing', async (t) => {
    const { connection, driver } = await connectFake(t, scripts);
    const statement = await connection.prepare('three');
    assert.equal((await statement.executeSchema()).fields.length > 0, true);
    assert.deepEqual((await statement.parameterSchema()).names, ['', 'name']);
    assert.deepEqual(driver.calls.slice(3), ['describe three', 'describe parameters three']);
    await statement.close();
    await assert.rejects(statement.executeSchema(), failsWith('INVALID_STATE', /closed/));
    await assert.rejects(statement.parameterSchema(), failsWith('INVALID_STATE', /closed/));
    await assert.rejects(statement.executePartitions(), failsWith('INVALID_STATE', /closed/));
  });
});
