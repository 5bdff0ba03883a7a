import assert from 'node:assert/strict';
import { defaultBatchLimit } from 'recurve/adbc';
import { batchByteLength } from '../../src/delivery/batch-size.ts';
import type { Area } from './behaviour.ts';
import { assertUsable, fails, firstValue } from './behaviour.ts';

/** How a result comes. */
export const resultArea: Area = {
  name: 'a result',
  behaviours: [
    {
      name: 'has its schema before any batch, and without rows too',
      because: 'a reader must know the columns of an empty table',
      check: async ({ connection, dialect }) => {
        const result = await connection.query(dialect.empty);
        assert.deepEqual(result.schema.names, ['a', 'b']);
        const table = await result.table();
        assert.equal(table.numRows, 0);
        assert.ok(table.schema.equals(result.schema));
        assert.equal(result.delivery.outcome, 'complete');
      },
    },
    {
      name: 'has batches of one schema, its own',
      because: 'a reader makes its columns once',
      check: async ({ connection, dialect }) => {
        const result = await connection.query(dialect.rows(10_000), [], { batch: { maxRows: 1000 } });
        for await (const batch of result) assert.ok(batch.schema.equals(result.schema));
      },
    },
    {
      name: 'brings every row once, in the order of the source',
      because: 'rows that are lost or doubled at the seam of two batches are found by nobody',
      check: async ({ connection, dialect }) => {
        for (const count of [0, 1, 2047, 2048, 2049, 65_536 + 2048, 200_001]) {
          let next = 0;
          for await (const batch of await connection.query(dialect.rows(count))) {
            for (const value of batch.column('i').toArray()) assert.equal(Number(value), next++);
          }
          assert.equal(next, count);
        }
      },
    },
    {
      name: 'has no batch of more rows than asked for',
      because: 'the reader sized its buffers by it',
      check: async ({ connection, dialect }) => {
        for (const maxRows of [1, 100, 3000]) {
          for await (const batch of await connection.query(dialect.rows(7001), [], { batch: { maxRows } })) {
            assert.ok(batch.numRows >= 1 && batch.numRows <= maxRows, `${batch.numRows} rows in a batch of ${maxRows}`);
            if (maxRows === 1 && Number(batch.column('i').at(0)) > 50) break;
          }
        }
      },
    },
    {
      name: 'has no batch of more bytes than asked for, but for a single row',
      because: 'the memory of a slow reader is bounded by it',
      check: async ({ connection, dialect }) => {
        const maxBytes = 64 * 1024;
        let rows = 0;
        for await (const batch of await connection.query(dialect.texts(2000, 1000), [], { batch: { maxBytes } })) {
          rows += batch.numRows;
          assert.ok(batchByteLength(batch) <= maxBytes, `${batchByteLength(batch)} bytes`);
        }
        assert.equal(rows, 2000);
        for await (const batch of await connection.query(dialect.texts(3, 100_000), [], { batch: { maxBytes } })) {
          assert.equal(batch.numRows, 1);
        }
      },
    },
    {
      name: 'has a first batch of few rows',
      because: 'something must be seen soon',
      check: async ({ connection, dialect }) => {
        const sizes: number[] = [];
        for await (const batch of await connection.query(dialect.rows(300_000))) sizes.push(batch.numRows);
        assert.ok((sizes[0] ?? 0) <= defaultBatchLimit.firstRows, `${sizes[0]} rows`);
        assert.ok(Math.max(...sizes) <= defaultBatchLimit.maxRows);
        const result = await connection.query(dialect.rows(1000), [], { batch: { firstRows: 7 } });
        for await (const batch of result) {
          assert.ok(batch.numRows <= 7);
          break;
        }
      },
    },
    {
      name: 'reports what was read: rows, batches, bytes and how it ended',
      because: 'the report is the measure of every path',
      check: async ({ connection, dialect }) => {
        const result = await connection.query(dialect.rows(100_000));
        let rows = 0;
        let batches = 0;
        let bytes = 0;
        for await (const batch of result) {
          rows += batch.numRows;
          batches++;
          bytes += batchByteLength(batch);
          assert.equal(result.delivery.rows, rows);
        }
        const { delivery } = result;
        assert.deepEqual([delivery.rows, delivery.batches, delivery.bytes.arrow], [rows, batches, bytes]);
        assert.equal(rows, 100_000);
        assert.equal(delivery.outcome, 'complete');
        assert.equal(delivery.error, undefined);
        assert.ok(delivery.requests >= 1);
        assert.equal(delivery.path, delivery.plan.chosen);
        assert.ok(delivery.plan.candidates.some((path) => path.name === delivery.path));
        assert.notEqual(delivery.plan.reason, '');
        const { firstBatchMs, totalMs } = delivery.timings;
        assert.ok(firstBatchMs > 0 && firstBatchMs <= totalMs, `${firstBatchMs} of ${totalMs} ms`);
        assert.deepEqual(result.delivery, delivery, 'it changed after the end');
      },
    },
    {
      name: 'of which half was read says so in its report',
      because: 'what was delivered is paid for, and counted',
      check: async ({ connection, dialect }) => {
        const result = await connection.query(dialect.trickle);
        let rows = 0;
        for await (const batch of result) {
          rows += batch.numRows;
          if (rows > 10_000) break;
        }
        assert.deepEqual([result.delivery.outcome, result.delivery.rows], ['returned', rows]);
      },
    },
    {
      name: 'is read once',
      because: 'a second reader would find nothing and take it for the whole',
      check: async ({ connection, dialect }) => {
        const result = await connection.query(dialect.rows(10));
        await result.table();
        await fails(result.table(), 'INVALID_STATE');
        await assert.rejects(async () => result.toReadable());
      },
    },
    {
      name: 'that is left unread gives way to the next call, and then throws',
      because: 'one live result a connection: the older one may not seem complete, nor the connection hang',
      needs: ['endless statements'],
      check: async ({ connection, dialect }) => {
        const older = await connection.query(dialect.trickle);
        assert.equal(await firstValue(connection, dialect.answer.sql), dialect.answer.value);
        await fails(older.table(), 'INVALID_STATE', /another call/);
        assert.equal(older.delivery.outcome, 'superseded');
      },
    },
    {
      name: 'that is half read gives way to the next call, and then throws',
      because: 'a loop over it must not end as if it were complete',
      needs: ['endless statements'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const older = (await connection.query(dialect.trickle, [], { windowBytes: 0 }))[Symbol.asyncIterator]();
        await older.next();
        await assertUsable(contract);
        await fails(older.next(), 'INVALID_STATE', /another call/);
        await fails(older.next(), 'INVALID_STATE', /another call/);
      },
    },
    {
      name: 'that is left unread does not hinder closing',
      because: 'programs end early',
      needs: ['endless statements'],
      check: async ({ database, connection, dialect }) => {
        const result = await connection.query(dialect.trickle);
        await database.close();
        await assert.rejects(result.table());
      },
    },
    {
      name: 'refuses a path that the driver does not have, by name',
      because: 'another path in its place would be measured as the wanted one',
      check: async (contract) => {
        const { connection, dialect } = contract;
        await fails(connection.query(dialect.answer.sql, [], { path: 'teleport' }), 'INVALID_ARGUMENT', /teleport/);
        await assertUsable(contract);
      },
    },
  ],
};
