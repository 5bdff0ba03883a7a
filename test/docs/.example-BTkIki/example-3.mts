import { open } from 'recurve';
import { tableFromArrays } from 'recurve/arrow';

const database = await open('duckdb:');
const connection = await database.connect();
const statement = await connection.prepare('select 1 + $1 as n');
statement.bind(tableFromArrays({ value: Int32Array.of(1, 2, 3) }));
console.log((await (await statement.executeQuery()).table()).toArray()); // [ { n: 2 }, { n: 3 }, { n: 4 } ]
await database.close();