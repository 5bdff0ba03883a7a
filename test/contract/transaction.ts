import assert from 'node:assert/strict';
import type { Connection } from 'recurve/adbc';
import type { Area } from './behaviour.ts';
import { assertUsable, fails, rowsOf } from './behaviour.ts';

const create = 'CREATE TABLE account (id INTEGER PRIMARY KEY, cents INTEGER)';

function insert(connection: Connection, id: number): Promise<number> {
  return connection.execute(`INSERT INTO account VALUES (${id}, ${100 * id})`);
}

async function ids(connection: Connection): Promise<unknown[]> {
  return (await rowsOf(connection, 'SELECT id FROM account ORDER BY id')).map((row) => row.id);
}

/** Transactions, and what other connections see of them. */
export const transactionArea: Area = {
  name: 'a transaction',
  behaviours: [
    {
      name: 'is none at the start: every statement commits by itself, commit and rollback are INVALID_STATE',
      because: 'ADBC says so',
      needs: ['tables'],
      check: async ({ database, connection }) => {
        assert.equal(connection.autoCommit, true);
        assert.equal(await connection.getOption('adbc.connection.autocommit'), 'true');
        await connection.execute(create);
        await insert(connection, 1);
        await fails(connection.commit(), 'INVALID_STATE');
        await fails(connection.rollback(), 'INVALID_STATE');
        assert.deepEqual(await ids(await database.connect()), [1]);
      },
    },
    {
      name: 'that is committed is seen by others, and not before',
      because: 'isolation',
      needs: ['tables', 'shared database'],
      check: async ({ database, connection }) => {
        await connection.execute(create);
        const other = await database.connect();
        await connection.setAutoCommit(false);
        await insert(connection, 1);
        assert.deepEqual(await ids(connection), [1], 'it does not see its own rows');
        assert.deepEqual(await ids(other), []);
        await connection.commit();
        assert.deepEqual(await ids(other), [1]);
      },
    },
    {
      name: 'that is rolled back never was',
      because: 'that is what it is for',
      needs: ['tables'],
      check: async (contract) => {
        const { connection } = contract;
        await connection.execute(create);
        await connection.setAutoCommit(false);
        await insert(connection, 1);
        await connection.rollback();
        assert.deepEqual(await ids(connection), []);
        await insert(connection, 2);
        await connection.commit();
        await connection.rollback();
        assert.deepEqual(await ids(connection), [2]);
        await assertUsable(contract);
      },
    },
    {
      name: 'is committed when autocommit is switched on',
      because: 'ADBC says so, and the rows must not hang in between',
      needs: ['tables', 'shared database'],
      check: async ({ database, connection }) => {
        await connection.execute(create);
        await connection.setOption('adbc.connection.autocommit', 'false');
        await insert(connection, 1);
        await connection.setOption('adbc.connection.autocommit', 'true');
        assert.deepEqual(await ids(await database.connect()), [1]);
        await fails(connection.commit(), 'INVALID_STATE');
      },
    },
    {
      name: 'is rolled back when its connection is closed',
      because: 'work that nobody committed is not done',
      needs: ['tables', 'shared database'],
      check: async ({ database, connection }) => {
        await connection.execute(create);
        await connection.setAutoCommit(false);
        await insert(connection, 1);
        await connection.close();
        assert.deepEqual(await ids(await database.connect()), []);
      },
    },
    {
      name: 'in which a statement failed can be rolled back, and the connection used on',
      because: 'failures happen inside',
      needs: ['tables'],
      check: async (contract) => {
        const { connection } = contract;
        await connection.execute(create);
        await insert(connection, 1);
        await connection.setAutoCommit(false);
        await insert(connection, 2);
        await fails(insert(connection, 1), 'INTEGRITY');
        await connection.rollback();
        assert.deepEqual(await ids(connection), [1]);
        await insert(connection, 3);
        await connection.commit();
        assert.deepEqual(await ids(connection), [1, 3]);
        await connection.setAutoCommit(true);
        await assertUsable(contract);
      },
    },
    {
      name: 'of a function is committed with it, and rolled back with its error, which is thrown',
      because: 'the two ends of it must not drift apart',
      needs: ['tables'],
      check: async ({ connection }) => {
        await connection.execute(create);
        const value = await connection.transaction(async (tx) => {
          await insert(tx, 1);
          return 'done';
        });
        assert.equal(value, 'done');
        const failure = new Error('changed my mind');
        const failing = connection.transaction(async (tx) => {
          await insert(tx, 2);
          throw failure;
        });
        await assert.rejects(failing, (error) => error === failure);
        assert.deepEqual(await ids(connection), [1]);
        assert.equal(connection.autoCommit, true);
      },
    },
    {
      name: 'in which a call is aborted leaves nothing half-written',
      because: 'an abort is no licence to commit',
      needs: ['tables', 'endless statements'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        await connection.execute(create);
        const work = connection.transaction(async (tx) => {
          await insert(tx, 1);
          await tx.execute(dialect.endless, [], { timeoutMs: 50 });
        });
        await fails(work, 'TIMEOUT');
        assert.deepEqual(await ids(connection), []);
        assert.equal(connection.autoCommit, true);
        await assertUsable(contract);
      },
    },
    {
      name: 'lives on when a result inside is left early',
      because: 'looking at a few rows must not undo what was written',
      needs: ['tables', 'endless statements'],
      check: async ({ connection, dialect }) => {
        await connection.execute(create);
        await connection.transaction(async (tx) => {
          await insert(tx, 1);
          for await (const _ of await tx.query(dialect.trickle)) break;
          await insert(tx, 2);
        });
        assert.deepEqual(await ids(connection), [1, 2]);
      },
    },
    {
      name: 'does not nest',
      because: 'the inner commit would end the outer one',
      check: async ({ connection }) => {
        await connection.transaction(async (tx) => {
          await fails(
            tx.transaction(async () => 1),
            'INVALID_STATE',
          );
        });
      },
    },
    {
      name: 'option that is unknown is NOT_IMPLEMENTED when set and NOT_FOUND when asked for',
      because: 'ADBC says so; a typing error must not be taken for a setting',
      check: async ({ connection }) => {
        await fails(connection.setOption('adbc.connection.autocomit', 'true'), 'NOT_IMPLEMENTED', /autocomit/);
        await fails(connection.getOption('adbc.connection.autocomit'), 'NOT_FOUND', /autocomit/);
        await fails(connection.setOption('adbc.connection.autocommit', 'yes'), 'INVALID_ARGUMENT', /yes/);
      },
    },
  ],
};
