import { open, RecurveError } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
const older = await connection.query('select i, repeat(i::text, 20) as t from range(20000000) r(i)');
await connection.execute('create table other (i integer)');
try {
  await older.table();
} catch (error) {
  if (!RecurveError.is(error)) throw error;
  console.log(error.status, older.delivery.outcome); // INVALID_STATE superseded
}
await database.close();