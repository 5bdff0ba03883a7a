import assert from 'node:assert/strict';
import type { Area } from './behaviour.ts';
import { assertUsable, fails, firstValue, rowsOf } from './behaviour.ts';

/** Several calls, several connections. */
export const concurrencyArea: Area = {
  name: 'at the same time',
  behaviours: [
    {
      name: 'calls on one connection run in the order in which they were made',
      because: 'a program that forgets to wait must not get another result',
      needs: ['tables'],
      check: async ({ connection }) => {
        await connection.execute('CREATE TABLE counter (n BIGINT)');
        await connection.execute('INSERT INTO counter VALUES (1)');
        const digits = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3];
        await Promise.all(digits.map((digit) => connection.execute(`UPDATE counter SET n = n * 10 + ${digit}`)));
        assert.equal(await firstValue(connection, 'SELECT n FROM counter'), 13141592653n);
      },
    },
    {
      name: 'queries on one connection each get their own answer, or are told that another one came',
      because: 'answers that are swapped are wrong in silence',
      needs: ['parameters'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const sql = dialect.select(dialect.parameter(1));
        const answers = await Promise.allSettled(
          Array.from({ length: 30 }, (_, i) => firstValue(connection, sql, [i])),
        );
        answers.forEach((answer, i) => {
          if (answer.status === 'fulfilled') assert.equal(answer.value, BigInt(i));
          else assert.match(String(answer.reason), /another call/);
        });
        assert.equal(answers.at(-1)?.status, 'fulfilled');
        await assertUsable(contract);
      },
    },
    {
      name: 'one call that fails leaves those behind it alone',
      because: 'they have nothing to do with it',
      needs: ['tables'],
      check: async ({ connection, dialect }) => {
        const failing = fails(connection.execute('SELECT * FROM nowhere'), 'NOT_FOUND');
        const answer = firstValue(connection, dialect.answer.sql);
        await failing;
        assert.equal(await answer, dialect.answer.value);
      },
    },
    {
      name: 'two connections read two results side by side',
      because: 'that is what a second connection is for',
      check: async ({ database, dialect }) => {
        const count = 50_000;
        const [one, two] = [await database.connect(), await database.connect()];
        const limit = { batch: { maxRows: 500 }, windowBytes: 1 };
        const a = (await one.query(dialect.rows(count), [], limit))[Symbol.asyncIterator]();
        const b = (await two.query(dialect.rows(count), [], limit))[Symbol.asyncIterator]();
        const sums = [0, 0];
        for (let open = 2; open > 0; ) {
          open = 0;
          for (const [k, batches] of [a, b].entries()) {
            const { value } = await batches.next();
            if (value === undefined) continue;
            open++;
            for (const i of value.column('i').toArray()) sums[k] = (sums[k] ?? 0) + Number(i);
          }
        }
        assert.deepEqual(sums, [(count * (count - 1)) / 2, (count * (count - 1)) / 2]);
      },
    },
    {
      name: 'one connection is stopped while another one works on',
      because: 'an interrupt must find its own statement',
      needs: ['endless statements'],
      check: async ({ database, connection, dialect }) => {
        const other = await database.connect();
        const table = other.query(dialect.rows(300_000)).then((result) => result.table());
        await fails(connection.execute(dialect.endless, [], { timeoutMs: 20 }), 'TIMEOUT');
        assert.equal((await table).numRows, 300_000);
      },
    },
    {
      name: 'ten connections write, and every row is there',
      because: 'servers do that',
      needs: ['tables', 'shared database'],
      check: async ({ database, connection }) => {
        await connection.execute('CREATE TABLE entry (who INTEGER, n INTEGER)');
        await Promise.all(
          Array.from({ length: 10 }, async (_, who) => {
            const writer = await database.connect();
            for (let n = 0; n < 10; n++) await writer.execute(`INSERT INTO entry VALUES (${who}, ${n})`);
            await writer.close();
          }),
        );
        const rows = await rowsOf(
          connection,
          'SELECT who, count(DISTINCT n) AS n FROM entry GROUP BY who ORDER BY who',
        );
        assert.deepEqual(
          rows,
          Array.from({ length: 10 }, (_, who) => ({ who, n: 10n })),
        );
      },
    },
  ],
};
