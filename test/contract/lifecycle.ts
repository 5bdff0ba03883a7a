import assert from 'node:assert/strict';
import type { Connection, Statement } from 'recurve/adbc';
import type { Area } from './behaviour.ts';
import { assertUsable, fails, firstValue } from './behaviour.ts';

/** Closing, and what is called afterwards. */
export const lifecycleArea: Area = {
  name: 'closing',
  behaviours: [
    {
      name: 'twice is harmless, for results, statements, connections and the database',
      because: 'clean-up code runs twice',
      check: async ({ database, dialect }) => {
        const connection = await database.connect();
        const statement = await connection.prepare(dialect.answer.sql);
        const result = await statement.executeQuery();
        for (const resource of [result, statement, connection, database]) {
          await resource.close();
          await resource.close();
          await resource[Symbol.asyncDispose]();
        }
      },
    },
    {
      name: 'at the same time twice is harmless',
      because: 'two owners may give up at once',
      check: async ({ database, connection, dialect }) => {
        await connection.query(dialect.rows(100_000));
        await Promise.all([connection.close(), connection.close(), database.close(), database.close()]);
      },
    },
    {
      name: 'a connection makes every later call INVALID_STATE',
      because: 'a call into freed memory would end the process',
      check: async ({ connection, dialect }) => {
        const statement = await connection.prepare(dialect.answer.sql);
        await connection.close();
        const { sql } = dialect.answer;
        const calls: ((c: Connection, s: Statement) => Promise<unknown>)[] = [
          (c) => c.query(sql),
          (c) => c.execute(sql),
          (c) => c.prepare(sql),
          (c) => c.getTableSchema({ tableName: 't' }),
          (c) => c.setAutoCommit(false),
          (c) => c.commit(),
          (c) => c.rollback(),
          (c) => c.transaction(async () => 1),
          (c) => c.getOption('adbc.connection.autocommit'),
          (_, s) => s.executeQuery(),
          (_, s) => s.executeUpdate(),
          (_, s) => s.cancel(),
        ];
        for (const call of calls) await fails(call(connection, statement), 'INVALID_STATE', /closed/);
        assert.throws(() => statement.bind([]), /closed/);
      },
    },
    {
      name: 'a statement leaves its connection and the other statements alone',
      because: 'they are resources of their own',
      check: async (contract) => {
        const { connection, dialect } = contract;
        const [one, two] = [await connection.prepare(dialect.answer.sql), await connection.prepare(dialect.answer.sql)];
        await one.close();
        await fails(one.executeQuery(), 'INVALID_STATE', /closed/);
        assert.equal((await (await two.executeQuery()).table()).numRows, 1);
        await assertUsable(contract);
      },
    },
    {
      name: 'the database makes connecting INVALID_STATE',
      because: 'the source is gone',
      check: async ({ database }) => {
        await database.close();
        await fails(database.connect(), 'INVALID_STATE', /closed/);
      },
    },
    {
      name: 'a result leaves what was read of it alone, and reading on is INVALID_STATE',
      because: 'batches belong to their reader',
      check: async ({ connection, dialect }) => {
        const result = await connection.query(dialect.rows(10_000), [], { batch: { firstRows: 100, maxRows: 100 } });
        const batches = result[Symbol.asyncIterator]();
        const { value } = await batches.next();
        await result.close();
        assert.deepEqual(
          Array.from(value?.column('i').toArray() ?? [], Number),
          Array.from({ length: 100 }, (_, i) => i),
        );
        await fails(batches.next(), 'INVALID_STATE', /closed/);
      },
    },
    {
      name: 'leaves batches and tables alone that were read whole',
      because: 'results outlive connections',
      check: async ({ database, connection, dialect }) => {
        const table = await (await connection.query(dialect.rows(10_000))).table();
        await database.close();
        let next = 0;
        for (const value of table.column('i').toArray()) assert.equal(Number(value), next++);
        assert.equal(next, 10_000);
      },
    },
    {
      name: 'a connection tells what runs on it that it was closed',
      because: 'a promise that never settles holds its caller for ever',
      needs: ['endless statements'],
      check: async ({ database, connection, dialect }) => {
        const running = fails(connection.execute(dialect.endless), 'CANCELLED', /closed/);
        const waiting = fails(connection.query(dialect.answer.sql), 'CANCELLED', /closed/);
        await new Promise((resolve) => setTimeout(resolve, 40));
        await connection.close();
        await Promise.all([running, waiting]);
        assert.equal(await firstValue(await database.connect(), dialect.answer.sql), dialect.answer.value);
      },
    },
    {
      name: 'a connection leaves the others of its database alone',
      because: 'a pool closes them one by one',
      check: async (contract) => {
        const other = await contract.database.connect();
        await other.close();
        await assertUsable(contract);
      },
    },
  ],
};
