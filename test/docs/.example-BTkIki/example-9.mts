import { open } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
await connection.execute('create table item as select i from range(10) r(i)');
const statement = await connection.prepare('select sum(i) as total from item where i >= $least');
const { schema, partitions } = await statement.executePartitions({ least: 5 });
console.log(`${schema}`); // total: decimal128(38, 0)

const other = await database.connect();
for (const partition of partitions) {
  console.log(await (await other.readPartition(partition)).table().then((table) => table.toArray().length)); // 1
}
await database.close();