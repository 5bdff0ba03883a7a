import { field, int64, jsonReader, list, makeBuilder, textReader } from 'recurve/arrow';

const ids = field('ids', list(int64()));
const builder = makeBuilder(ids);
builder.append([9007199254740993n, null]);
const column = builder.finish();
console.log(textReader(ids, column)(0)); // [9007199254740993, NULL]
console.log(jsonReader(ids, column)(0)); // [9007199254740993,null]