import { open } from 'recurve';

await using database = await open('duckdb:');
await using connection = await database.connect();
const result = await connection.query('select range as i, i * i as square from range($1)', [1000]);
console.log(`${result.schema}`);
for await (const batch of result) console.log(batch.numRows, batch.column('square').at(0));
console.log(result.delivery.path, result.delivery.timings.totalMs);