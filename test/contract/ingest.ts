import assert from 'node:assert/strict';
import {
  batchFromArrays,
  Field,
  int64,
  type RecordBatch,
  Schema,
  Table,
  tableFromRows,
  tableToIPC,
  utf8,
} from 'recurve/arrow';
import type { Area, Contract } from './behaviour.ts';
import { assertNotHeld, assertUsable, fails, firstValue, rowsOf } from './behaviour.ts';

const schema = new Schema([new Field('id', int64()), new Field('name', utf8())]);
const two = tableFromRows(
  [
    { id: 1n, name: 'one' },
    { id: 2n, name: null },
  ],
  schema,
);
const needs = ['ingest'] as const;

function numbers(first: number, count: number): RecordBatch {
  const ids = BigInt64Array.from({ length: count }, (_, i) => BigInt(first + i));
  return batchFromArrays(schema, [ids, Array.from(ids, (id) => (id % 3n === 0n ? null : `n${id}`))]);
}

async function* manyBatches(count: number, rows: number): AsyncGenerator<RecordBatch> {
  for (let i = 0; i < count; i++) yield numbers(i * rows, rows);
}

function items({ connection }: Contract): ReturnType<typeof rowsOf> {
  return rowsOf(connection, 'SELECT id, name FROM item ORDER BY id');
}

async function countItems({ connection }: Contract): Promise<unknown> {
  return firstValue(connection, 'SELECT count(*) AS n FROM item');
}

/** Writing tables and streams in bulk: ADBC's rules of the four modes, all or nothing. */
export const ingestArea: Area = {
  name: 'an ingest',
  behaviours: [
    {
      name: 'makes a table of its columns, and says how many rows it wrote',
      because: 'ADBC: create is what is done without a mode',
      needs,
      check: async (contract) => {
        assert.equal(await contract.connection.ingest('item', two), 2);
        assert.deepEqual(await items(contract), [
          { id: 1n, name: 'one' },
          { id: 2n, name: null },
        ]);
        const written = await contract.connection.getTableSchema({ tableName: 'item' });
        assert.deepEqual(
          written.fields.map(({ name, type }) => ({ name, type })),
          [
            { name: 'id', type: int64() },
            { name: 'name', type: utf8() },
          ],
        );
      },
    },
    {
      name: 'by the options of a statement does the same',
      because: 'that is how ADBC has it, and what is ported from there expects it',
      needs,
      check: async (contract) => {
        const statement = await contract.connection.createStatement();
        statement.setOption('adbc.ingest.target_table', 'item');
        await fails(statement.executeUpdate(), 'INVALID_STATE', /bound/);
        statement.bind(two);
        assert.equal(await statement.executeUpdate(), 2);
        await fails(statement.executeUpdate(), 'ALREADY_EXISTS', /item/);
        statement.setOption('adbc.ingest.mode', 'adbc.ingest.mode.append');
        statement.bindStream({ schema, batches: manyBatches(3, 100) });
        assert.equal(await statement.executeUpdate(), 300);
        assert.equal(await countItems(contract), 302n);
        await statement.setSqlQuery('SELECT count(*) AS n FROM item');
        statement.bind([]);
        assert.equal((await (await statement.executeQuery()).table()).toArray()[0]?.n, 302n);
        await statement.close();
        await assertUsable(contract);
      },
    },
    {
      name: 'to make a table that is there is ALREADY_EXISTS, and leaves it as it was',
      because: 'ADBC says so; what is there is never touched unless that was asked for',
      needs,
      check: async (contract) => {
        await contract.connection.ingest('item', two);
        await fails(contract.connection.ingest('item', two, { mode: 'create' }), 'ALREADY_EXISTS', /item/);
        assert.equal(await countItems(contract), 2n);
      },
    },
    {
      name: 'that appends needs the table: NOT_FOUND without',
      because: 'ADBC says so; a typing error must not make a table',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await fails(connection.ingest('item', two, { mode: 'append' }), 'NOT_FOUND', /item/);
        await connection.ingest('item', two);
        assert.equal(await connection.ingest('item', numbers(10, 5), { mode: 'append' }), 5);
        assert.equal(await countItems(contract), 7n);
      },
    },
    {
      name: 'that appends other columns than the table has is ALREADY_EXISTS',
      because: 'ADBC says so; values in the wrong column are wrong in silence',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await connection.ingest('item', two);
        const other = tableFromRows(
          [{ id: 1n, nam: 'x' }],
          new Schema([new Field('id', int64()), new Field('nam', utf8())]),
        );
        await fails(connection.ingest('item', other, { mode: 'append' }), 'ALREADY_EXISTS');
        assert.equal(await countItems(contract), 2n);
        await assertUsable(contract);
      },
    },
    {
      name: 'that replaces drops what is there, other columns too',
      because: 'that is the mode',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        assert.equal(await connection.ingest('item', two, { mode: 'replace' }), 2);
        const other = tableFromRows([{ text: 'x' }], new Schema([new Field('text', utf8())]));
        assert.equal(await connection.ingest('item', other, { mode: 'replace' }), 1);
        assert.deepEqual(await rowsOf(connection, 'SELECT * FROM item'), [{ text: 'x' }]);
      },
    },
    {
      name: 'that makes or appends does either',
      because: 'that is the mode',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        assert.equal(await connection.ingest('item', two, { mode: 'createAppend' }), 2);
        assert.equal(await connection.ingest('item', numbers(10, 1), { mode: 'createAppend' }), 1);
        assert.equal(await countItems(contract), 3n);
      },
    },
    {
      name: 'takes a table, a batch, a stream, bytes and a result alike',
      because: 'that is what data comes as',
      needs,
      check: async (contract) => {
        const { connection, database } = contract;
        const batch = numbers(0, 3);
        const bytes = tableToIPC(new Table(schema, [batch]));
        const other = await database.connect();
        await other.ingest('source', batch);
        const sources = [
          new Table(schema, [batch, numbers(3, 2)]),
          batch,
          { schema, batches: manyBatches(2, 3) },
          bytes,
          await other.query('SELECT id, name FROM source'),
        ];
        for (const data of sources) await connection.ingest('item', data, { mode: 'createAppend' });
        assert.equal(await countItems(contract), 20n);
      },
    },
    {
      name: 'of no rows makes the table',
      because: 'an empty day still has its table',
      needs,
      check: async (contract) => {
        assert.equal(await contract.connection.ingest('item', new Table(schema, [])), 0);
        assert.equal(
          await contract.connection.ingest('item', new Table(schema, [numbers(0, 0)]), { mode: 'append' }),
          0,
        );
        assert.deepEqual(await items(contract), []);
      },
    },
    {
      name: 'of many batches brings every row once',
      because: 'seams are where rows are lost',
      needs,
      check: async (contract) => {
        const data = { schema, batches: manyBatches(50, 3001) };
        assert.equal(await contract.connection.ingest('item', data), 150_050);
        const sql =
          'SELECT count(*) AS n, count(DISTINCT id) AS d, min(id) AS a, max(id) AS z, count(name) AS m FROM item';
        const [row] = await rowsOf(contract.connection, sql);
        assert.deepEqual(row, { n: 150_050n, d: 150_050n, a: 0n, z: 150_049n, m: 100_033n });
      },
    },
    {
      name: 'whose data fail half-way throws what they threw, and no row is there',
      because: 'half a table that seems whole is the worst that can happen',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        const batches = async function* () {
          yield* manyBatches(30, 3000);
          throw new Error('the disk is gone');
        };
        await fails(connection.ingest('item', { schema, batches: batches() }), 'IO', /the disk is gone/);
        await fails(connection.query('SELECT * FROM item'), 'NOT_FOUND');
        await connection.ingest('item', two);
        const append = connection.ingest('item', { schema, batches: batches() }, { mode: 'append' });
        await fails(append, 'IO', /the disk is gone/);
        assert.equal(await countItems(contract), 2n);
        const replace = connection.ingest('item', { schema, batches: batches() }, { mode: 'replace' });
        await fails(replace, 'IO', /the disk is gone/);
        assert.equal(await countItems(contract), 2n);
        await assertUsable(contract);
      },
    },
    {
      name: 'with a null where none may be is INTEGRITY, which names column and row, and no row is there',
      because: 'one bad row in a million must be found',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await connection.execute('CREATE TABLE item (id BIGINT NOT NULL, name VARCHAR NOT NULL)');
        const rows = Array.from({ length: 5000 }, (_, i) => ({ id: BigInt(i), name: i === 4321 ? null : 'x' }));
        const data = tableFromRows(rows, schema);
        await fails(connection.ingest('item', data, { mode: 'append' }), 'INTEGRITY', /name.*432[12]|432[12].*name/);
        assert.equal(await countItems(contract), 0n);
        await assertUsable(contract);
      },
    },
    {
      name: 'that is aborted leaves no row',
      because: 'who calls it off wants nothing of it',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await connection.ingest('item', two);
        const controller = new AbortController();
        const batches = async function* () {
          yield* manyBatches(20, 3000);
          controller.abort();
          yield* manyBatches(1000, 3000);
        };
        const { signal } = controller;
        await fails(connection.ingest('item', { schema, batches: batches() }, { mode: 'append', signal }), 'CANCELLED');
        assertNotHeld(signal);
        assert.equal(await countItems(contract), 2n);
        const stuck = { schema, batches: stuckBatches() };
        await fails(connection.ingest('item', stuck, { mode: 'append', timeoutMs: 60 }), 'TIMEOUT');
        assert.equal(await countItems(contract), 2n);
        await assertUsable(contract);
      },
    },
    {
      name: 'in a transaction is undone with it',
      because: 'it is a part of it',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await connection.ingest('item', two);
        await connection.setAutoCommit(false);
        await connection.ingest('item', numbers(10, 100), { mode: 'append' });
        assert.equal(await countItems(contract), 102n);
        await connection.rollback();
        assert.equal(await countItems(contract), 2n);
        await connection.ingest('item', numbers(10, 100), { mode: 'append' });
        await connection.commit();
        assert.equal(await countItems(contract), 102n);
      },
    },
    {
      name: 'into a temporary table is seen by its connection alone, and excludes a schema',
      because: 'ADBC says so',
      needs,
      check: async (contract) => {
        const { connection, database } = contract;
        await connection.ingest('item', two, { temporary: true });
        assert.equal(await countItems(contract), 2n);
        const other = await database.connect();
        await fails(other.query('SELECT * FROM item'), 'NOT_FOUND');
        const both = connection.ingest('item', two, { temporary: true, dbSchema: 'main' });
        await fails(both, 'INVALID_ARGUMENT', /dbSchema/);
      },
    },
    {
      name: 'keeps names of tables and columns as they are, with quotes and beyond ASCII',
      because: 'a name is no SQL',
      needs: ['ingest', 'quoted names'],
      check: async ({ connection, dialect }) => {
        const table = 'x"; DROP TABLE item; -- ß 数据';
        const names = ['we"ird', '数据', 'with space', 'select'];
        const wide = new Schema(names.map((name) => new Field(name, int64())));
        await connection.ingest(
          table,
          batchFromArrays(
            wide,
            names.map((_, i) => BigInt64Array.of(BigInt(i))),
          ),
        );
        const result = await connection.query(`SELECT * FROM ${dialect.quote(table)}`);
        assert.deepEqual(result.schema.names, names);
        assert.equal((await result.table()).numRows, 1);
      },
    },
    {
      name: 'with options that make no sense is INVALID_ARGUMENT',
      because: 'a typing error in a mode must not destroy a table',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await connection.ingest('item', two);
        const wrong: [unknown, RegExp][] = [
          [{ mode: 'Replace' }, /mode/],
          [{ mod: 'replace' }, /mod/],
          [{ temporary: 'yes' }, /temporary/],
          [{ catalog: 7 }, /catalog/],
        ];
        for (const [options, message] of wrong) {
          await fails(connection.ingest('item', two, options as object), 'INVALID_ARGUMENT', message);
        }
        await fails(connection.ingest('', two), 'INVALID_ARGUMENT');
        await fails(connection.ingest('other', [{ id: 1 }] as never), 'INVALID_ARGUMENT');
        assert.equal(await countItems(contract), 2n);
      },
    },
  ],
};

/** A batch, and then nothing for ever. */
async function* stuckBatches(): AsyncGenerator<RecordBatch> {
  yield numbers(100, 100);
  await new Promise(() => {});
}
