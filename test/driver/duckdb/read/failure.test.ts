import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findFailure } from '../../../../src/driver/duckdb/failure.ts';
import { NativeSession } from '../../../../src/driver/duckdb/session.ts';
import { RecurveError } from '../../../../src/error.ts';
import { binding, collect, openSession } from './session.ts';

const limit = { maxRows: 50_000, maxBytes: 1 << 26, firstRows: 2048 };
const castError = (row: number): string =>
  `select cast(case when i = ${row} then 'x' else i::varchar end as integer) v from range(2000000) t(i)`;

describe('a stream that fails', async () => {
  const session = await openSession();
  const native = new NativeSession(binding, session.connection);
  const explain = (sql: string) => (failure: { timeoutMs: number; signal: AbortSignal }) =>
    findFailure({ session: native, sql }, failure);

  it('in the middle throws the source’s message after the rows before it', async () => {
    const sql = castError(1_500_000);
    const { batches } = await session.stream(sql, { limit, explain: explain(sql) });
    let rows = 0;
    await assert.rejects(async () => {
      for (;;) {
        const { done, value } = await batches.next();
        if (done) return;
        rows += value.numRows;
      }
    }, /^RecurveError: Conversion Error: Could not convert string 'x' to INT32$/);
    assert.ok(rows > 0 && rows <= 1_500_000, `${rows} rows`);
    assert.deepEqual(await session.columns('select 1'), [[1]]);
  });

  it('never ends as if it were complete, also without a message', async () => {
    for (const row of [900_000, 1_500_000, 1_999_999]) {
      const { batches } = await session.stream(castError(row), { limit });
      await assert.rejects(collect(batches), { status: 'UNKNOWN', message: /before its last row/ });
    }
  });

  it('does so inside of a transaction', async () => {
    await session.read('begin');
    const { batches } = await session.stream(castError(1_000_000), { limit, inTransaction: true });
    await assert.rejects(collect(batches), { message: /before its last row/ });
    await session.read('rollback');
  });

  it('uses the parameters again to find the message', async () => {
    const sql = "select cast(case when i = $1 then 'x' else i::varchar end as integer) v from range(2000000) t(i)";
    const failure = { timeoutMs: 60_000, signal: new AbortController().signal };
    const bind = (prepared: Parameters<typeof binding.bind_int64>[0]): void =>
      binding.bind_int64(prepared, 1, 1_400_000n);
    const message = await findFailure({ session: native, sql, bind }, failure);
    assert.equal(message, "Conversion Error: Could not convert string 'x' to INT32");
  });

  it('is not run again where that would change something', async () => {
    await session.read('create sequence numbers');
    const sql = `select nextval('numbers'), v from (${castError(1_500_000)})`;
    const { batches } = await session.stream(sql, { limit, explain: explain(sql) });
    await assert.rejects(collect(batches), { message: /before its last row/ });
    const [[next] = []] = await session.columns("select nextval('numbers')");
    const again = await findFailure(
      { session: native, sql },
      { timeoutMs: 60_000, signal: new AbortController().signal },
    );
    assert.equal(again, undefined);
    const [[after] = []] = await session.columns("select nextval('numbers')");
    assert.equal(after, (next as bigint) + 1n);
  });

  it('leaves the search for its message when time is up or the call is aborted', async () => {
    const sql = 'select count(*) from range(10000000) a(i), range(10000000) b(j) where i * j % 7 = 3';
    const statement = { session: native, sql };
    const start = performance.now();
    assert.equal(await findFailure(statement, { timeoutMs: 50, signal: new AbortController().signal }), undefined);
    assert.equal(await findFailure(statement, { timeoutMs: 60_000, signal: AbortSignal.timeout(50) }), undefined);
    assert.ok(performance.now() - start < 5000);
    assert.deepEqual(await session.columns('select 1'), [[1]]);
  });

  it('by an interrupt from elsewhere throws', async () => {
    const { batches } = await session.stream('select i from range(50000000) t(i)', { limit });
    await batches.next();
    binding.interrupt(session.connection);
    await assert.rejects(collect(batches), RecurveError);
  });

  it('for want of memory throws', async () => {
    await session.official.run("set memory_limit = '200MB'; set max_temp_directory_size = '0KB'");
    const sql =
      "select * from (select i, 'a text of some length ' || i s from range(30000000) t(i)) order by hash(i), s";
    await assert.rejects(async () => {
      const { batches } = await session.stream(sql, { limit });
      await collect(batches);
    }, /Out of Memory Error: .*(memory|allocate)/is);
    await session.official.run('reset memory_limit; reset max_temp_directory_size');
    assert.equal((await session.read('select 1')).batches.length, 1);
  });

  it('because another statement cut it off says so', async () => {
    let current = true;
    const { batches } = await session.stream('select i from range(5000000) t(i)', { limit, isCurrent: () => current });
    await batches.next();
    current = false;
    await session.read('select 2');
    await assert.rejects(collect(batches), { status: 'INVALID_STATE', message: /another statement/ });
  });

  it('gives its message to the caller’s own error', async () => {
    const sql = castError(1_200_000);
    const toError = (message: string): RecurveError => new RecurveError('INVALID_DATA', `mapped ${message}`);
    const { batches } = await session.stream(sql, { limit, explain: explain(sql), toError });
    await assert.rejects(collect(batches), { status: 'INVALID_DATA', message: /^mapped Conversion Error/ });
  });
});
