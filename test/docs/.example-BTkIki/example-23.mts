import { batchFromRows, extensionField, extensionOf, Schema, Table, tableFromIPC, tableToIPC, utf8, uuidField } from 'recurve/arrow';

const fields = [uuidField('id'), extensionField('shape', utf8(), { name: 'example.wkt', metadata: '{"crs": 4326}' })];
const schema = new Schema(fields, { origin: 'survey' });
const rows = [{ id: '00112233-4455-6677-8899-aabbccddeeff', shape: 'POINT (1 2)' }];
const table = tableFromIPC(tableToIPC(new Table(schema, [batchFromRows(schema, rows)])));
console.log(table.schema.metadata.get('origin'), table.column('id').at(0)); // survey 00112233-4455-6677-8899-aabbccddeeff
console.log(extensionOf(table.schema.field('shape'))); // { name: 'example.wkt', metadata: '{"crs": 4326}' }