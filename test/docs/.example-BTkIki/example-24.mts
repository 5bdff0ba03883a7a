import { dictionary, FileReader, field, makeBuilder, RecordBatch, Schema, tableToIPC, utf8 } from 'recurve/arrow';

const origin = field('origin', dictionary(utf8()));
const builder = makeBuilder(origin);
builder.appendAll(['ATL', 'ORD', 'ATL', 'ATL']);
const column = builder.finish();
const schema = new Schema([origin]);
const batches = [new RecordBatch(schema, [column.slice(0, 2)]), new RecordBatch(schema, [column.slice(2)])];
const reader = FileReader.open(tableToIPC({ schema, batches }, { format: 'file' }));
console.log(reader.batch(1).column('origin').toArray()); // [ 'ATL', 'ATL' ]