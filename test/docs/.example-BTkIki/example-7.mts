import { open } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
await connection.execute('create table account (id integer, cents bigint)');
await connection.execute('insert into account values (1, 500), (2, 0)');
await connection.transaction(async (tx) => {
  await tx.execute('update account set cents = cents - 200 where id = 1');
  await tx.execute('update account set cents = cents + 200 where id = 2');
});
const table = await (await connection.query('select id, cents from account order by id')).table();
console.log(table.toArray()); // [ { id: 1, cents: 300n }, { id: 2, cents: 200n } ]
await database.close();