import { batchByteLength, BatchWindow } from 'recurve/delivery';
import { open } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
const result = await connection.query('select i::integer as i from range(5000) t(i)', [], { batch: { firstRows: 1000, maxRows: 1000 } });
const window = new BatchWindow(result[Symbol.asyncIterator](), { windowBytes: 100_000 });
for (let batch = await window.next(); batch !== undefined; batch = await window.next()) {
  console.log(batch.numRows, batchByteLength(batch));
}
await database.close();