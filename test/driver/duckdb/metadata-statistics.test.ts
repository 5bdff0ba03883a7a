import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tableFromIPC as foreignTable } from 'apache-arrow';
import { type Connection, InfoCode, StatisticKey, type StatisticOptions } from 'recurve';
import { infoSchema, statisticsSchema } from 'recurve/adbc';
import { type Column, RecordBatch, tableToIPC } from 'recurve/arrow';
import { UnionColumn } from '../../../src/arrow/column/union.ts';
import { connect, firstValue } from './fixture.ts';

const setUp = `
  CREATE SCHEMA far;
  CREATE TABLE item (id INTEGER, big UBIGINT, price DOUBLE, name VARCHAR, raw BLOB, day DATE);
  INSERT INTO item VALUES
    (3, 18446744073709551615, 1.5, 'über', '\\xFF'::BLOB, DATE '2024-01-01'),
    (-1, 0, -0.25, 'apple', NULL, NULL),
    (NULL, NULL, NULL, NULL, NULL, NULL),
    (3, 7, 1.5, 'apple', NULL, NULL);
  CREATE TABLE far."it""em" (i INTEGER);
`;

/** `catalog.schema.table.column: key = child value`, `~` in front of an estimate. */
async function statisticsOf(connection: Connection, options?: StatisticOptions): Promise<string[]> {
  const table = await connection.getStatistics(options);
  assert.ok(table.schema.equals(statisticsSchema));
  const foreign = foreignTable(tableToIPC(table));
  const lines: string[] = [];
  for (const catalog of foreign) {
    for (const dbSchema of catalog?.catalog_db_schemas ?? []) {
      for (const row of dbSchema.db_schema_statistics) {
        const { table_name, column_name, statistic_key, statistic_value, statistic_is_approximate } = row;
        const path = [catalog?.catalog_name, dbSchema.db_schema_name, table_name, column_name ?? '*'].join('.');
        lines.push(`${statistic_is_approximate ? '~' : ''}${path}: ${statistic_key} = ${show(statistic_value)}`);
      }
    }
  }
  return lines;
}

function show(value: unknown): string {
  return value instanceof Uint8Array ? `bytes ${[...value]}` : String(value);
}

function unionChildren(column: Column): string[] {
  assert.ok(column instanceof UnionColumn);
  const names = column.type.children.map((child) => child.name);
  return Array.from({ length: column.length }, (_, i) => names[column.childAt(i)] ?? '');
}

describe('getStatistics', () => {
  test('gives the estimated row count of each table by default, as float64', async (t) => {
    const connection = await connect(t);
    await connection.execute(setUp);
    const lines = await statisticsOf(connection, { catalog: 'memory' });
    assert.deepEqual(lines, ['~memory.far.it"em.*: 6 = 0', '~memory.main.item.*: 6 = 4']);
    const statistics = await connection.getStatistics({ tableName: 'item' });
    const [batch] = statistics.batches;
    assert.deepEqual(unionChildren(valuesOf(batch)), ['float64']);
  });

  test('counts exactly when estimates will not do, as int64, and types values by their column', async (t) => {
    const connection = await connect(t);
    await connection.execute(setUp);
    const options = { approximate: false, dbSchema: 'main', tableName: 'item' };
    const umlaut = [...new TextEncoder().encode('über')].join();
    const apple = [...new TextEncoder().encode('apple')].join();
    const { DistinctCount, MaxValue, MinValue, NullCount, RowCount } = StatisticKey;
    const at = 'memory.main.item';
    assert.deepEqual(await statisticsOf(connection, options), [
      `${at}.*: ${RowCount} = 4`,
      `${at}.id: ${DistinctCount} = 2`,
      `${at}.id: ${MaxValue} = 3`,
      `${at}.id: ${MinValue} = -1`,
      `${at}.id: ${NullCount} = 1`,
      `${at}.big: ${DistinctCount} = 3`,
      `${at}.big: ${MaxValue} = 18446744073709551615`,
      `${at}.big: ${MinValue} = 0`,
      `${at}.big: ${NullCount} = 1`,
      `${at}.price: ${DistinctCount} = 2`,
      `${at}.price: ${MaxValue} = 1.5`,
      `${at}.price: ${MinValue} = -0.25`,
      `${at}.price: ${NullCount} = 1`,
      `${at}.name: ${DistinctCount} = 2`,
      `${at}.name: ${MaxValue} = bytes ${umlaut}`,
      `${at}.name: ${MinValue} = bytes ${apple}`,
      `${at}.name: ${NullCount} = 1`,
      `${at}.raw: ${DistinctCount} = 1`,
      `${at}.raw: ${MaxValue} = bytes 255`,
      `${at}.raw: ${MinValue} = bytes 255`,
      `${at}.raw: ${NullCount} = 3`,
      `${at}.day: ${DistinctCount} = 1`,
      `${at}.day: ${NullCount} = 3`,
    ]);
    const [batch] = (await connection.getStatistics(options)).batches;
    const children = unionChildren(valuesOf(batch));
    assert.deepEqual(children.slice(0, 9), [
      'int64',
      ...['int64', 'int64', 'int64', 'int64'],
      ...['int64', 'uint64', 'uint64', 'int64'],
    ]);
    assert.deepEqual(new Set(children), new Set(['int64', 'uint64', 'float64', 'binary']));
  });

  test('of an empty table has no least and greatest values', async (t) => {
    const connection = await connect(t);
    await connection.execute(setUp);
    const lines = await statisticsOf(connection, { approximate: false, dbSchema: 'far' });
    const at = 'memory.far.it"em';
    assert.deepEqual(lines, [`${at}.*: 6 = 0`, `${at}.i: 1 = 0`, `${at}.i: 5 = 0`]);
  });

  test('filters by pattern; nothing found is an empty table', async (t) => {
    const connection = await connect(t);
    await connection.execute(setUp);
    assert.deepEqual(await statisticsOf(connection, { tableName: 'ite_' }), ['~memory.main.item.*: 6 = 4']);
    for (const options of [{ catalog: 'x' }, { catalog: '' }, { dbSchema: '' }, { tableName: 'ITEM' }]) {
      assert.deepEqual(await statisticsOf(connection, options), []);
    }
    await connection.execute('BEGIN; ROLLBACK');
  });
});

describe('getInfo', () => {
  test('says what DuckDB and its driver are', async (t) => {
    const connection = await connect(t);
    const table = await connection.getInfo();
    assert.ok(table.schema.equals(infoSchema));
    const rows = [...foreignTable(tableToIPC(table))].map((row) => [row?.info_name, row?.info_value] as const);
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      readonly version: string;
    };
    assert.deepEqual(rows, [
      [InfoCode.VendorName, 'DuckDB'],
      [InfoCode.VendorVersion, await firstValue(connection, 'SELECT version()')],
      [InfoCode.VendorSql, true],
      [InfoCode.VendorSubstrait, false],
      [InfoCode.DriverName, 'recurve DuckDB driver'],
      [InfoCode.DriverVersion, `v${version}`],
      [InfoCode.DriverArrowVersion, `v${version}`],
      [InfoCode.DriverAdbcVersion, 1001000n],
    ]);
  });
});

function valuesOf(batch: RecordBatch | undefined): Column {
  assert.ok(batch instanceof RecordBatch);
  return childOf(childOf(batch.column('catalog_db_schemas'), 1), 3);
}

/** The column of a list of structs that has this position among the struct's. */
function childOf(column: Column, index: number): Column {
  const child = column.layout.children?.[0]?.layout.children?.[index];
  assert.ok(child);
  return child;
}
