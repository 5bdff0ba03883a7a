import { ObjectDepth, open } from 'recurve';

const database = await open('duckdb:');
const connection = await database.connect();
await connection.execute('create table region (id integer primary key, city text)');
await connection.execute('create table store (id integer, region_id integer references region (id))');

const objects = await connection.getObjects({ catalog: 'memory', tableName: 'stor_' });
console.log(JSON.stringify(objects.toArray()[0]?.catalog_db_schemas).includes('"fk_column_name":"id"')); // true
const schemas = await connection.getObjects({ depth: ObjectDepth.Schemas, catalog: 'memory' });
console.log(JSON.stringify(schemas.toArray())); // [{"catalog_name":"memory","catalog_db_schemas":[{"db_schema_name":"main","db_schema_tables":null}]}]
await database.close();