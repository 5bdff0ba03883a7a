import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ConnectionOption, IsolationLevel, open } from 'recurve';
import { batchFromArrays, field, int32, Schema } from 'recurve/arrow';
import { connect, firstValue, rejects, rowsOf, scratchFolder } from './fixture.ts';

const { Catalog, DbSchema, ReadOnly } = ConnectionOption;

describe('the current catalog and schema', () => {
  test('are what names without them mean', async (t) => {
    const connection = await connect(t);
    await connection.execute(
      "ATTACH ':memory:' AS other; CREATE SCHEMA other.far; CREATE TABLE other.far.t AS SELECT 7 AS i",
    );
    assert.equal(await connection.getOption(Catalog), 'memory');
    assert.equal(await connection.getOption(DbSchema), 'main');
    await connection.setOption(Catalog, 'other');
    assert.equal(await connection.getOption(Catalog), 'other');
    assert.equal(await connection.getOption(DbSchema), 'main');
    await connection.setOption(DbSchema, 'far');
    assert.equal(await connection.getOption(DbSchema), 'far');
    assert.equal(await firstValue(connection, 'SELECT i FROM t'), 7);
  });

  test('are quoted: a schema of the name of a catalog is no other catalog', async (t) => {
    const connection = await connect(t);
    await connection.execute('ATTACH \':memory:\' AS other; CREATE SCHEMA other; CREATE SCHEMA "od""d.name"');
    await connection.setOption(Catalog, 'other');
    assert.equal(await connection.getOption(Catalog), 'other');
    await connection.setOption(Catalog, 'memory');
    await connection.setOption(DbSchema, 'other');
    assert.deepEqual([await connection.getOption(Catalog), await connection.getOption(DbSchema)], ['memory', 'other']);
    await connection.setOption(DbSchema, 'od"d.name');
    assert.equal(await connection.getOption(DbSchema), 'od"d.name');
  });

  test('that do not exist are NOT_FOUND, and nothing changes', async (t) => {
    const connection = await connect(t);
    await rejects(connection.setOption(Catalog, 'nowhere'), 'NOT_FOUND', /no catalog "nowhere"/);
    await rejects(connection.setOption(Catalog, "x' OR 'a'='a"), 'NOT_FOUND', /no catalog/);
    await rejects(connection.setOption(Catalog, 'memory\0'), 'NOT_FOUND', /no catalog/);
    await rejects(
      connection.setOption(DbSchema, 'nowhere'),
      'NOT_FOUND',
      /no schema "nowhere" in the catalog "memory"/,
    );
    await rejects(connection.setOption(DbSchema, ''), 'NOT_FOUND', /no schema ""/);
    assert.deepEqual([await connection.getOption(Catalog), await connection.getOption(DbSchema)], ['memory', 'main']);
  });

  test('are the connection’s own', async (t) => {
    const database = await open('duckdb:');
    t.after(() => database.close());
    const [one, two] = [await database.connect(), await database.connect()];
    await one.execute('CREATE SCHEMA far');
    await one.setOption(DbSchema, 'far');
    assert.equal(await two.getOption(DbSchema), 'main');
  });
});

describe('the isolation level', () => {
  test('is the default or a snapshot, which is what DuckDB has', async (t) => {
    const connection = await connect(t);
    const key = ConnectionOption.IsolationLevel;
    assert.equal(await connection.getOption(key), 'adbc.connection.transaction.isolation.default');
    await connection.setOption(key, IsolationLevel.Snapshot);
    assert.equal(await connection.getOption(key), 'adbc.connection.transaction.isolation.snapshot');
    for (const level of [
      IsolationLevel.ReadUncommitted,
      IsolationLevel.ReadCommitted,
      IsolationLevel.RepeatableRead,
      IsolationLevel.Serializable,
      IsolationLevel.Linearizable,
    ]) {
      await rejects(connection.setOption(key, level), 'NOT_IMPLEMENTED', /no isolation level/);
    }
    await rejects(connection.setOption(key, 'serializable'), 'INVALID_ARGUMENT', /"serializable"/);
    assert.equal(await connection.getOption(key), IsolationLevel.Snapshot);
  });

  test('and read-only cannot be set in a transaction', async (t) => {
    const connection = await connect(t);
    await connection.setAutoCommit(false);
    await connection.execute('CREATE TABLE t (i INTEGER)');
    const level = connection.setOption(ConnectionOption.IsolationLevel, IsolationLevel.Snapshot);
    await rejects(level, 'INVALID_STATE', /in a transaction/);
    await rejects(connection.setReadOnly(true), 'INVALID_STATE', /in a transaction/);
    await connection.commit();
    await connection.setReadOnly(true);
    assert.equal(await connection.getOption(ReadOnly), 'true');
  });

  test('a snapshot is what a transaction sees', async (t) => {
    const database = await open(`duckdb:${join(scratchFolder(t), 'a.db')}`);
    t.after(() => database.close());
    const [reader, writer] = [await database.connect(), await database.connect()];
    await writer.execute('CREATE TABLE t AS SELECT 1 AS i');
    await reader.setOption(ConnectionOption.IsolationLevel, IsolationLevel.Snapshot);
    await reader.setAutoCommit(false);
    assert.equal(await firstValue(reader, 'SELECT count(*) FROM t'), 1n);
    await writer.execute('INSERT INTO t VALUES (2)');
    assert.equal(await firstValue(reader, 'SELECT count(*) FROM t'), 1n);
    await reader.rollback();
    assert.equal(await firstValue(reader, 'SELECT count(*) FROM t'), 2n);
  });
});

describe('a read-only connection', () => {
  const changes = [
    'INSERT INTO t VALUES (2)',
    'INSERT INTO t VALUES (2) RETURNING i',
    'UPDATE t SET i = 2',
    'DELETE FROM t',
    'CREATE TABLE u (i INTEGER)',
    'DROP TABLE t',
    'SELECT 1; INSERT INTO t VALUES (2)',
    'EXPLAIN ANALYZE INSERT INTO t VALUES (2)',
    'BEGIN; INSERT INTO t VALUES (2); COMMIT',
    "ATTACH ':memory:' AS other",
    "COPY t TO '/dev/null'",
  ];
  test('refuses what changes the database, prepared or not, and reads', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE t AS SELECT 1 AS i');
    const prepared = await connection.prepare('INSERT INTO t VALUES ($1)');
    assert.equal(await connection.getOption(ReadOnly), 'false');
    await connection.setReadOnly(true);
    assert.equal(await connection.getOption(ReadOnly), 'true');
    for (const sql of changes) {
      await rejects(connection.execute(sql), 'INVALID_STATE', /read-only/);
      await connection.execute('ROLLBACK').catch(() => undefined);
    }
    await rejects(prepared.executeUpdate([2]), 'INVALID_STATE', /read-only/);
    const batch = batchFromArrays(new Schema([field('i', int32())]), [Int32Array.of(2)]);
    await rejects(connection.ingest('t', batch, { mode: 'append' }), 'INVALID_STATE', /read-only/);
    assert.deepEqual(await rowsOf(connection, 'SELECT i FROM t'), [{ i: 1 }]);
    assert.equal((await connection.getObjects()).numRows, 3);
    await connection.setReadOnly(false);
    await prepared.executeUpdate([2]);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 2n);
  });

  test('has read-only transactions, in which a sequence stands still', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE SEQUENCE ticket');
    await connection.setReadOnly(true);
    await connection.setAutoCommit(false);
    await rejects(rowsOf(connection, "SELECT nextval('ticket')"), 'INVALID_STATE', /read-only/);
    await connection.rollback();
    await connection.setAutoCommit(true);
    await connection.setReadOnly(false);
    assert.equal(await firstValue(connection, "SELECT nextval('ticket')"), 1n);
  });

  test('takes true and false only', async (t) => {
    const connection = await connect(t);
    await rejects(connection.setOption(ReadOnly, 'yes'), 'INVALID_ARGUMENT', /"yes", but must be "true" or "false"/);
    await rejects(connection.setReadOnly(1 as unknown as boolean), 'INVALID_ARGUMENT', /readOnly is 1/);
  });
});

describe('an option that DuckDB does not have', () => {
  test('is NOT_IMPLEMENTED to set and NOT_FOUND to get', async (t) => {
    const connection = await connect(t);
    await rejects(connection.setOption('adbc.connection.read_only', 'true'), 'NOT_IMPLEMENTED', /read_only/);
    await rejects(connection.getOption('adbc.connection.read_only'), 'NOT_FOUND', /read_only/);
  });
});
