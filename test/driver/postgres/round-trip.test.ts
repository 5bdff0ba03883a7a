import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import { type Connection, type Database, open } from 'recurve';
import { CountingProxy } from './counting-proxy.ts';
import { testServer, withoutPostgres } from './server.ts';

/** Counted on the wire: what a statement costs where the server is far away. */
describe('PostgreSQL: round trips', { skip: withoutPostgres }, () => {
  let proxy: CountingProxy;
  let database: Database;
  let connection: Connection;

  before(async () => {
    const { uri } = await testServer();
    proxy = await CountingProxy.open(uri);
    // Without it the first flight asks for TLS, as libpq's does.
    database = await open({ uri: proxy.uri, sslmode: 'disable' });
    connection = await database.connect();
    await rows('select 1');
  });

  after(async () => {
    await connection.close();
    await database.close();
    await proxy.close();
  });

  async function rows(sql: string, parameters: readonly (number | string)[] = []): Promise<number> {
    let count = 0;
    for await (const batch of await connection.query(sql, [...parameters])) count += batch.numRows;
    return count;
  }

  test('connecting is one where the server trusts, and the first statement another', async () => {
    const flights = await proxy.count(async () => {
      const other = await database.connect();
      for await (const _ of await other.query('select 1'));
      await other.close();
    });
    // The farewell is a flight that nobody answers.
    assert.ok(flights <= 3, `${flights} flights`);
  });

  test('a small query is one', async () => {
    for (const sql of ['select 1', "select 1 as a, 'x' as b, now() as c", 'show server_version']) {
      assert.equal(await proxy.count(() => rows(sql)), 1, sql);
      assert.equal(await proxy.count(() => rows(sql)), 1, `${sql}, again`);
    }
  });

  test('a query with parameters is one', async () => {
    assert.equal(await proxy.count(() => rows('select $1::int4 + 1', [41])), 1);
    assert.equal(await proxy.count(() => rows("select date '2020-02-03' = $1", ['2020-02-03'])), 1);
  });

  test('2,600 rows of nine columns are one', async () => {
    const sql = `select i::int8 a, now() b, i c, i d, i / 2.0::float8 e, (i / 100.0)::numeric(12,2) f, 'item-' || i g,
      i % 3 = 0 h, date '2020-01-01' + i j from generate_series(1, 2600) i`;
    assert.equal(await proxy.count(async () => assert.equal(await rows(sql), 2600)), 1);
  });

  test('a statement without rows is one', async () => {
    assert.equal(await proxy.count(() => connection.execute('set application_name to counted')), 1);
  });
});
