import { open } from 'recurve';
import { tableFromArrays } from 'recurve/arrow';

const database = await open('duckdb:');
const connection = await database.connect();
console.log(await connection.ingest('item', tableFromArrays({ id: [1, 2], name: ['nut', 'bolt'] }))); // 2

const other = await database.connect();
const more = await other.query("select range as id, 'part ' || range as name from range(3, 100000)");
console.log(await connection.ingest('item', more, { mode: 'append' })); // 99997
await database.close();