import { batchFromRows, field, int32, Schema, StreamWriter, tableFromIPC, utf8 } from 'recurve/arrow';

const schema = new Schema([field('id', int32(), { nullable: false }), field('name', utf8())]);
const writer = new StreamWriter(schema);
const chunks: Uint8Array[] = [];
for (let first = 0; first < 3; first++) {
  chunks.push(...writer.write(batchFromRows(schema, [{ id: first, name: `n${first}` }, { id: first + 10 }])));
}
chunks.push(...writer.finish());
const table = tableFromIPC(new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer()));
console.log(table.batches.length, table.numRows, table.column('name').nullCount); // 3 6 3