import { open } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
const result = await connection.query('select 6 * 7 as answer');
for await (const row of result.rows()) console.log(row.answer); // 42
await database.close();