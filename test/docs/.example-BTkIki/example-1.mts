import { open } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
await connection.execute('create table item (id integer, name text)');
console.log(await connection.execute("insert into item values (1, 'nut'), (2, 'bolt')")); // 2

const insert = await connection.prepare('insert into item values ($1, $2)');
for (const [i, name] of ['washer', 'screw'].entries()) await insert.executeUpdate([i + 3, name]);
await insert.close();

const result = await connection.query('select name from item where id >= $least order by id', { least: 2 });
console.log((await result.table()).toArray()); // [ { name: 'bolt' }, { name: 'washer' }, { name: 'screw' } ]
await database.close();