import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IngestOption } from 'recurve/adbc';
import { Table } from 'recurve/arrow';
import { numberBatch, numberSchema } from '../delivery/batch.ts';
import { connectFake, failsWith } from './fixture.ts';

const table = new Table(numberSchema, [numberBatch(0, 3), numberBatch(3, 4)]);
/** As adbc.h of ADBC 1.1.0 spells them. */
const keys = {
  table: 'adbc.ingest.target_table',
  catalog: 'adbc.ingest.target_catalog',
  dbSchema: 'adbc.ingest.target_db_schema',
  temporary: 'adbc.ingest.temporary',
  mode: 'adbc.ingest.mode',
  keys: 'recurve.ingest.keys',
};

describe('a statement with a target table', () => {
  test('writes the rows that are bound, as often as it is run, as its options say', async (t) => {
    const { connection, driver } = await connectFake(t, {});
    const statement = await connection.createStatement();
    statement.setOption(keys.table, 'item');
    statement.bind(table);
    assert.equal(await statement.executeUpdate(), 7);
    for (const mode of ['append', 'replace', 'create_append', 'create']) {
      statement.setOption(keys.mode, `adbc.ingest.mode.${mode}`);
      assert.equal(await statement.executeUpdate(), 7);
    }
    statement.setOption(keys.catalog, 'c');
    statement.setOption(keys.dbSchema, 's');
    statement.bind(numberBatch(0, 2));
    assert.equal(await statement.executeUpdate(), 2);
    const other = await connection.createStatement();
    other.setOption(keys.table, 'own');
    other.setOption(keys.temporary, 'true');
    other.bind(numberBatch(0, 1));
    assert.equal(await other.executeUpdate(), 1);
    assert.deepEqual(
      driver.calls.filter((call) => call.startsWith('ingest')),
      [
        'ingest ..item create',
        'ingest ..item append',
        'ingest ..item replace',
        'ingest ..item createAppend',
        'ingest ..item create',
        'ingest c.s.item create',
        'ingest ..own create temporary',
      ],
    );
    await statement.close();
    await statement.close();
  });

  test('writes a stream that is bound, once', async (t) => {
    const { connection } = await connectFake(t, {});
    const statement = await connection.createStatement();
    statement.setOption(keys.table, 'item');
    statement.bindStream({ schema: numberSchema, batches: table.batches });
    assert.equal(await statement.executeUpdate(), 7);
    await assert.rejects(statement.executeUpdate(), failsWith('INVALID_STATE', /has been read/));
  });

  test('needs rows, and gives neither a result nor a description', async (t) => {
    const { connection, driver } = await connectFake(t, {});
    const statement = await connection.createStatement();
    statement.setOption(keys.table, 'item');
    const before = driver.calls.length;
    await assert.rejects(statement.executeUpdate(), failsWith('INVALID_STATE', /no rows are bound to write to "item"/));
    statement.bind([1, 2]);
    await assert.rejects(statement.executeUpdate(), failsWith('INVALID_STATE', /no rows are bound/));
    statement.bind(table);
    await assert.rejects(statement.executeUpdate([1]), failsWith('INVALID_ARGUMENT', /takes no parameters/));
    const needsText = failsWith('INVALID_STATE', /is an ingest into "item"/);
    await assert.rejects(statement.executeQuery(), needsText);
    await assert.rejects(statement.executeSchema(), needsText);
    await assert.rejects(statement.parameterSchema(), needsText);
    await assert.rejects(statement.executePartitions(), needsText);
    assert.throws(() => statement.parameterNames, needsText);
    statement.setOption(keys.temporary, 'true');
    statement.setOption(keys.catalog, 'c');
    await assert.rejects(statement.executeUpdate(), failsWith('INVALID_ARGUMENT', /a temporary table has no catalog/));
    assert.equal(driver.calls.length, before);
  });

  test('and a text exclude each other: what was set last counts', async (t) => {
    const { connection, driver } = await connectFake(t, { three: {}, two: { batches: 2 } });
    const statement = await connection.prepare('three');
    statement.setOption(keys.table, 'item');
    statement.bind(numberBatch(0, 5));
    assert.equal(await statement.executeUpdate(), 5);
    await statement.setSqlQuery('two');
    assert.equal((await (await statement.executeQuery([1])).table()).numRows, 20);
    assert.throws(() => statement.getOption(keys.table), failsWith('NOT_FOUND', /is not set/));
    assert.ok(driver.calls.includes('close statement three'));
    assert.equal(driver.alive.statements, 1);
    await statement.close();
    assert.equal(driver.alive.statements, 0);
  });

  test('is stopped by its signal, its limit and cancel', async (t) => {
    const { connection, driver } = await connectFake(t, {});
    const statement = await connection.createStatement();
    statement.setOption(keys.table, 'item');
    statement.bind(table);
    driver.callMs = 200;
    await assert.rejects(statement.executeUpdate(undefined, { timeoutMs: 15 }), failsWith('TIMEOUT', /15 ms/));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 15);
    await assert.rejects(statement.executeUpdate(undefined, { signal: controller.signal }), failsWith('CANCELLED'));
    await assert.rejects(statement.cancel(), failsWith('INVALID_STATE', /not running/));
    const running = assert.rejects(statement.executeUpdate(), failsWith('CANCELLED', /the statement was cancelled/));
    await sleep(15);
    await statement.cancel();
    await running;
  });
});

describe('the options of a statement', () => {
  test("are ADBC's, and are read back by their keys", async (t) => {
    const { connection } = await connectFake(t, {});
    const statement = await connection.createStatement();
    assert.deepEqual(Object.values(IngestOption).sort(), Object.values(keys).sort());
    assert.equal(statement.getOption(keys.mode), 'adbc.ingest.mode.create');
    assert.equal(statement.getOption(keys.temporary), 'false');
    statement.setOption(keys.mode, 'adbc.ingest.mode.create_append');
    statement.setOption(keys.dbSchema, 's');
    assert.equal(statement.getOption(keys.mode), 'adbc.ingest.mode.create_append');
    assert.equal(statement.getOption(keys.dbSchema), 's');
    for (const key of [keys.table, keys.catalog]) {
      assert.throws(() => statement.getOption(key), failsWith('NOT_FOUND', /is not set/));
    }
  });

  test('that are unknown, or mean nothing, are refused by name', async (t) => {
    const { connection } = await connectFake(t, {});
    const statement = await connection.createStatement();
    const set = (key: string, value: unknown) => () => statement.setOption(key, value as string);
    assert.throws(set('adbc.nonsense', 'x'), failsWith('NOT_IMPLEMENTED', /"adbc\.nonsense"/));
    assert.throws(() => statement.getOption('adbc.nonsense'), failsWith('NOT_FOUND', /"adbc\.nonsense"/));
    const wrong = (key: string, value: unknown, message: RegExp) =>
      assert.throws(set(key, value), failsWith('INVALID_ARGUMENT', message));
    wrong(keys.mode, 'append', /mode is "append", but must be one of adbc\.ingest\.mode\.create/);
    wrong(keys.temporary, 'yes', /temporary is "yes"/);
    wrong(keys.table, '', /target_table is ""/);
    for (const text of ['id', '{}', '[1]', ''])
      wrong(keys.keys, text, /recurve\.ingest\.keys is .*, but must be a JSON array/);
    wrong(keys.table, 7, /target_table is 7, but must be a string/);
  });

  test('and a statement without text or target do nothing', async (t) => {
    const { connection } = await connectFake(t, {});
    const statement = await connection.createStatement();
    await assert.rejects(statement.executeUpdate(), failsWith('INVALID_STATE', /has no text/));
    await assert.rejects(statement.executeQuery(), failsWith('INVALID_STATE', /has no text/));
    await assert.rejects(statement.setSqlQuery(7 as never), failsWith('INVALID_ARGUMENT', /sql is 7/));
    await statement.close();
    assert.throws(() => statement.setOption(keys.table, 't'), failsWith('INVALID_STATE', /statement is closed/));
    await assert.rejects(statement.setSqlQuery('x'), failsWith('INVALID_STATE', /statement is closed/));
  });
});
