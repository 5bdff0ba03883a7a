import { open, RecurveError } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
try {
  await connection.execute('select count(*) from range(1000000000) a, range(1000) b where a.range * b.range % 7 = 3', [], { timeoutMs: 50 });
} catch (error) {
  if (!RecurveError.is(error)) throw error;
  console.log(error.message); // not done within the limit of 50 ms
}
console.log((await (await connection.query('select 1 as one')).table()).numRows); // 1
await database.close();