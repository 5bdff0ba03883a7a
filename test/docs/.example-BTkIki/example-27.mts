import { open } from 'recurve';
import { formatReport } from 'recurve/delivery';

const database = await open('duckdb:');
const connection = await database.connect();
const result = await connection.query('select i, i % 7 as weekday from range(100000) t(i)');
await result.table();
console.log(result.delivery.outcome, result.delivery.rows); // complete 100000
console.log(formatReport(result.delivery));
console.log(JSON.stringify(result.delivery));
await database.close();