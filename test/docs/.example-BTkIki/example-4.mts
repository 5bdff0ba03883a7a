import { open } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();

let sum = 0;
for await (const batch of await connection.query('select i::integer as i from range(100000) t(i)')) {
  for (const value of batch.column('i').toArray()) sum += Number(value);
}
console.log(sum); // 4999950000

const response = (await connection.query('select 1 as one')).toResponse({ headers: { 'cache-control': 'no-store' } });
console.log((await response.arrayBuffer()).byteLength % 8); // 0
await database.close();