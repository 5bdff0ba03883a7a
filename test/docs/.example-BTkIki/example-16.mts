import { batchFromRows, field, int32, Schema, StreamReader, streamBatches, writeBatches } from 'recurve/arrow';

const schema = new Schema([field('id', int32())]);
async function* batches() {
  for (let id = 0; id < 3; id++) yield batchFromRows(schema, [{ id }]);
}
const { body } = new Response(streamBatches({ schema, batches: batches() }));
if (body === null) throw new Error('no body');
const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
const written = writeBatches(await StreamReader.from(body), writable); // or a Node stream, such as a server's response
console.log((await (await StreamReader.from(readable)).table()).column('id').toArray()); // Int32Array(3) [ 0, 1, 2 ]
await written;