import assert from 'node:assert/strict';
import type { Area } from './behaviour.ts';
import { assertUsable, fails, rowsOf } from './behaviour.ts';

/** Results in pieces. */
export const partitionArea: Area = {
  name: 'a partition',
  behaviours: [
    {
      name: 'is read on another connection; all of them together are the result',
      because: 'ADBC: any connection or process can read one, and none is read twice',
      needs: ['partitions'],
      check: async ({ database, connection, dialect }) => {
        const statement = await connection.prepare(dialect.rows(10_000));
        const { schema, partitions, rowsAffected } = await statement.executePartitions();
        assert.deepEqual(schema.names, ['i']);
        assert.equal(rowsAffected, -1);
        assert.ok(partitions.length >= 1);
        await connection.close();
        const found: number[] = [];
        for (const partition of partitions) {
          const other = await database.connect();
          // A descriptor travels: it is bytes.
          const result = await other.readPartition(Uint8Array.from(partition));
          assert.ok(result.schema.equals(schema));
          for (const row of (await result.table()).toArray()) found.push(Number(row.i));
        }
        found.sort((a, b) => a - b);
        assert.deepEqual(
          found,
          Array.from({ length: 10_000 }, (_, i) => i),
        );
      },
    },
    {
      name: 'carries the parameters of its statement',
      because: 'whoever reads it does not have them',
      needs: ['partitions', 'parameters'],
      check: async ({ database, connection, dialect }) => {
        const statement = await connection.prepare(dialect.select(dialect.parameter(1)));
        const { partitions } = await statement.executePartitions(['naïve 数据']);
        const other = await database.connect();
        const rows = [];
        for (const partition of partitions)
          rows.push(...(await (await other.readPartition(partition)).table()).toArray());
        assert.deepEqual(
          rows.map((row) => Object.values(row)),
          [['naïve 数据']],
        );
      },
    },
    {
      name: 'of a statement that changes something is refused, and nothing is changed',
      because: 'it would be done once a reader',
      needs: ['partitions', 'tables'],
      check: async (contract) => {
        const { connection } = contract;
        await connection.execute('CREATE TABLE item (id INTEGER)');
        const insert = await connection.prepare('INSERT INTO item VALUES (1)');
        await fails(insert.executePartitions(), 'INVALID_ARGUMENT');
        assert.deepEqual(await rowsOf(connection, 'SELECT id FROM item'), []);
        await assertUsable(contract);
      },
    },
    {
      name: 'that is damaged or not one is INVALID_ARGUMENT or INVALID_DATA',
      because: 'it came over a network',
      needs: ['partitions'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const statement = await connection.prepare(dialect.answer.sql);
        const [partition = new Uint8Array()] = (await statement.executePartitions()).partitions;
        const damaged = Uint8Array.from(partition);
        damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 1;
        const wrong = [new Uint8Array(), partition.slice(0, -1), damaged, new TextEncoder().encode('SELECT 1')];
        for (const bytes of wrong) {
          await assert.rejects(connection.readPartition(bytes), (error: { status?: string }) =>
            ['INVALID_ARGUMENT', 'INVALID_DATA'].includes(error.status ?? ''),
          );
        }
        await assertUsable(contract);
      },
    },
  ],
};
