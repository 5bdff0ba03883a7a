import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { open, type Parameters } from 'recurve';
import { batchFromArrays, Field, Schema, uuidField } from 'recurve/arrow';
import { connect, rejects, rowsOf, scratchFolder } from './fixture.ts';

describe('executePartitions and readPartition', () => {
  test('give what the query gives, on another connection, as often as wanted', async (t) => {
    const connection = await connect(t);
    const sql =
      'SELECT i AS "größe", i % 3 AS m, i::VARCHAR AS s FROM range(200000) r(i) WHERE i >= $1 ORDER BY i DESC';
    const statement = await connection.prepare(sql);
    const { schema, partitions, rowsAffected } = await statement.executePartitions([5]);
    assert.equal(partitions.length, 1);
    assert.equal(rowsAffected, -1);
    const expected = await (await connection.query(sql, [5])).table();
    assert.ok(schema.equals(expected.schema));
    const [partition = new Uint8Array()] = partitions;
    await statement.close();
    const other = await connect(t);
    for (const reader of [other, other, connection]) {
      const result = await reader.readPartition(partition);
      assert.ok(result.schema.equals(schema));
      assert.deepEqual((await result.table()).toArray(), expected.toArray());
    }
  });

  test('carry parameters of every kind', async (t) => {
    const connection = await connect(t);
    const uuid = batchFromArrays(new Schema([uuidField('u')]), [['00010203-0405-0607-0809-0a0b0c0d0e0f']]).column(0);
    const decimals = new Schema([new Field('d', { kind: 'decimal', precision: 20, scale: 3, bitWidth: 128 })]);
    const decimal = batchFromArrays(decimals, [['-12.500']]).column(0);
    const given: readonly Parameters[] = [
      [],
      [null, true, false, 1, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY],
      [1n, -(2n ** 63n), 2n ** 100n, 10n ** 38n - 1n],
      ['', 'größe \0 😀', new Date(-5), new Uint8Array([0, 255])],
      [uuid, decimal],
      { b: 'two', a: 1, ['__proto__' as string]: 3n },
    ];
    for (const parameters of given) {
      const names = Array.isArray(parameters) ? parameters.map((_, i) => i + 1) : Object.keys(parameters);
      const sql = `SELECT ${['0', ...names.map((name) => `typeof($${name}), $${name}`)].join(', ')}`;
      const statement = await connection.prepare(sql);
      const [partition = new Uint8Array()] = (await statement.executePartitions(parameters)).partitions;
      const read = await (await connection.readPartition(partition)).table();
      const expected = await (await connection.query(sql, parameters)).table();
      assert.ok(read.schema.equals(expected.schema), sql);
      assert.deepEqual(read.toArray(), expected.toArray());
      await statement.close();
    }
  });

  test('are read in another process', async (t) => {
    const path = join(scratchFolder(t), 'shared.db');
    const database = await open(`duckdb:${path}`);
    const connection = await database.connect();
    await connection.execute('CREATE TABLE item AS SELECT i, i * 2 AS twice FROM range(10) r(i)');
    const statement = await connection.prepare('SELECT sum(twice) AS total FROM item WHERE i > $least');
    const { partitions } = await statement.executePartitions({ least: 3 });
    await database.close();
    const script = `
      import { open } from 'recurve';
      const database = await open(${JSON.stringify(`duckdb:${path}?access_mode=read_only`)});
      const connection = await database.connect();
      const bytes = new Uint8Array(Buffer.from(process.argv[1], 'base64'));
      const table = await (await connection.readPartition(bytes)).table();
      console.log(String(table.toArray()[0].total));
      await database.close();`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...['--conditions=recurve-source', '--import', 'tsx', '--input-type=module', '-e', script],
      Buffer.from(partitions[0] ?? []).toString('base64'),
    ]);
    assert.equal(stdout.trim(), String(2 * (4 + 5 + 6 + 7 + 8 + 9)));
  });

  test('are refused for what may change the source, and run nothing', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE item (i INTEGER)');
    const changing = [
      'INSERT INTO item VALUES (1)',
      'INSERT INTO item VALUES (1) RETURNING i',
      'DELETE FROM item',
      'CREATE TABLE more (i INTEGER)',
      "COPY item TO '/dev/null'",
      'EXPLAIN ANALYZE INSERT INTO item VALUES (1)',
      'CHECKPOINT',
      'SET threads = 1',
      'BEGIN',
    ];
    for (const sql of changing) {
      const statement = await connection.prepare(sql);
      await rejects(statement.executePartitions(), 'INVALID_ARGUMENT', /may change the source/);
      await statement.close();
    }
    assert.deepEqual(await rowsOf(connection, 'FROM item'), []);
  });

  test('need the parameters that the schema needs', async (t) => {
    const statement = await (await connect(t)).prepare('SELECT $1 AS v');
    await rejects(statement.executePartitions(), 'INVALID_STATE', /depends on its 1 parameters/);
    statement.bind(['bound']);
    assert.equal(`${(await statement.executePartitions()).schema}`, 'v: utf8');
  });
});
