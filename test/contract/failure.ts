import assert from 'node:assert/strict';
import type { Result } from 'recurve/adbc';
import { StreamReader } from 'recurve/arrow';
import type { Area, Contract } from './behaviour.ts';
import { assertUsable, fails, rowsOf } from './behaviour.ts';
import { secret } from './harness.ts';

/** Every way of taking a result; each gives what arrives to `take`, in order. */
const ways: Readonly<Record<string, (result: Result, take: (value: unknown) => void) => Promise<unknown>>> = {
  'batch by batch': async (result, take) => {
    for await (const batch of result) for (const value of batch.column('i').toArray()) take(value);
  },
  'row by row': async (result, take) => {
    for await (const row of result.rows()) take(row.i);
  },
  'as a table': (result) => result.table(),
  'as a stream of bytes': async (result, take) => {
    const reader = await StreamReader.from(result.toReadable());
    for await (const batch of reader) for (const value of batch.column('i').toArray()) take(value);
  },
  'as an HTTP response': (result) => result.toResponse().arrayBuffer(),
};

const midway = Object.entries(ways).map(([way, takeAll]) => ({
  name: `in the middle is thrown ${way}, after right rows, and never looks like an end`,
  because: 'half a result that seems whole is the worst that can happen',
  needs: ['failing statements' as const],
  check: async (contract: Contract) => {
    const { connection, dialect } = contract;
    const { sql, rows, status } = dialect.failure;
    const result = await connection.query(sql);
    let next = 0;
    const error = await fails(
      takeAll(result, (value) => assert.equal(Number(value), next++)).catch((thrown: unknown) => {
        throw way === 'as an HTTP response' || way === 'as a stream of bytes' ? causeOf(thrown) : thrown;
      }),
      status,
    );
    assert.ok(next <= rows, `${next} rows, of which ${rows} are right`);
    const { delivery } = result;
    assert.equal(delivery.outcome, 'failed');
    assert.ok(delivery.rows <= rows);
    assert.deepEqual(delivery.error, { status, message: error.message });
    await fails(result.table(), status);
    await assertUsable(contract);
  },
}));

/** What readers of streams wrap, unwrapped. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.name !== 'RecurveError' && error.cause !== undefined ? error.cause : error;
}

/** What goes wrong at the source. */
export const failureArea: Area = {
  name: 'a failure',
  behaviours: [
    ...midway,
    {
      name: 'in the middle is thrown by execute as well',
      because: 'an update that failed half-way has no count',
      needs: ['failing statements'],
      check: async (contract) => {
        const { sql, status } = contract.dialect.failure;
        await fails(contract.connection.execute(sql), status);
        await assertUsable(contract);
      },
    },
    {
      name: 'in the middle is thrown by every later read',
      because: 'a retry of the read must not find a clean end',
      needs: ['failing statements'],
      check: async ({ connection, dialect }) => {
        const { sql, status } = dialect.failure;
        const batches = (await connection.query(sql))[Symbol.asyncIterator]();
        const readAll = async (): Promise<void> => {
          while (!(await batches.next()).done);
        };
        await fails(readAll(), status);
        const again = await batches.next().then(
          ({ done }) => (done ? 'a clean end of an iterator that has thrown' : 'a batch'),
          (error: unknown) => error,
        );
        assert.ok(again instanceof Error, `${again}`);
      },
    },
    {
      name: 'has a status, a message of one line, and what the source said as details',
      because: 'programs decide by the status, people by the message, experts by the rest',
      needs: ['tables'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        for (const { what, setup = [], sql, status, sqlState } of dialect.refusals) {
          for (const statement of setup) await connection.execute(statement);
          const error = await fails(
            connection.query(sql).then((result) => result.table()),
            status,
          ).catch((wrong: Error) => {
            throw new Error(`${what}: ${wrong.message}`, { cause: wrong });
          });
          assert.equal(error.sqlState, sqlState, what);
          assert.ok(error.details.length > 0, `${what}: no details`);
          for (const [key, value] of error.details) {
            assert.ok(key !== '' && value instanceof Uint8Array && value.length > 0, what);
          }
          assert.ok(!error.hint?.includes('\n'), what);
          await assertUsable(contract);
        }
      },
    },
    {
      name: 'of a statement is the same from query, execute and prepare',
      because: 'one table from errors to status serves all',
      needs: ['tables'],
      check: async ({ connection, dialect }) => {
        const { sql, status } = dialect.refusals[0] ?? assert.fail('the dialect has no refusal');
        const errors = [
          await fails(connection.query(sql), status),
          await fails(connection.execute(sql), status),
          await fails(connection.prepare(sql), status),
        ];
        assert.equal(new Set(errors.map((error) => error.message)).size, 1);
      },
    },
    {
      name: 'of a text without a statement is INVALID_ARGUMENT',
      because: 'an empty text is a mistake in the program',
      check: async (contract) => {
        for (const sql of ['', ' \n ', ';']) await fails(contract.connection.query(sql), 'INVALID_ARGUMENT');
        await assertUsable(contract);
      },
    },
    {
      name: 'leaves a table as it was',
      because: 'a statement does all or nothing',
      needs: ['tables', 'failing statements'],
      check: async ({ connection, dialect }) => {
        await connection.execute('CREATE TABLE taken (i BIGINT)');
        await connection.execute('INSERT INTO taken VALUES (1)');
        const { sql, status } = dialect.failure;
        await fails(connection.execute(`INSERT INTO taken ${sql}`), status);
        assert.deepEqual(await rowsOf(connection, 'SELECT i FROM taken'), [{ i: 1n }]);
      },
    },
    {
      name: 'to open shows no secret, in the message, hint, details or cause',
      because: 'messages end in logs',
      needs: ['secret options'],
      check: async ({ harness }) => {
        const openings = harness.openWrongly?.() ?? [];
        assert.ok(openings.length > 0);
        for (const opening of openings) {
          const error = await opening().then(
            () => assert.fail('it opened'),
            (thrown: unknown) => thrown,
          );
          for (let part = error; part instanceof Error; part = part.cause) {
            const { hint, details } = part as { hint?: string; details?: ReadonlyArray<readonly [string, Uint8Array]> };
            const shown = [part.message, hint, ...(details ?? []).map(([, value]) => new TextDecoder().decode(value))];
            assert.ok(!shown.join('\n').includes(secret), `it shows the secret: ${shown.join('; ')}`);
          }
        }
      },
    },
    {
      name: 'of a parameter that nothing stands for names the parameter and not its value',
      because: 'values may be secret',
      check: async ({ connection, dialect }) => {
        const bad = [{ secret }] as unknown as string[];
        const error = await fails(connection.query(dialect.answer.sql, bad), 'INVALID_ARGUMENT', /parameter 1/);
        assert.ok(!`${error.message} ${error.hint}`.includes(secret));
      },
    },
  ],
};
