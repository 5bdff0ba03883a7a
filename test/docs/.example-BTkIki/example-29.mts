import { open, RecurveError } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
await connection.execute('create table item (id integer primary key)');
await connection.execute('insert into item values (1)');
try {
  await connection.execute('insert into item values (1)');
} catch (error) {
  if (!RecurveError.is(error)) throw error;
  console.log(error.status, error.sqlState); // INTEGRITY undefined
  for (const [key, value] of error.details) console.log(key, new TextDecoder().decode(value)); // duckdb.message Constraint Error: …
}
await database.close();