import { FileRangeReader, FileReader, StreamReader, tableFromArrays, tableToIPC } from 'recurve/arrow';

const table = tableFromArrays({ i: Int32Array.of(1, 2, 3) });

const { body } = new Response(tableToIPC(table)); // as fetch gives it
if (body === null) throw new Error('no body');
const reader = await StreamReader.from(body, { signal: AbortSignal.timeout(10_000) });
for await (const batch of reader) console.log(batch.numRows); // 3

const file = tableToIPC(table, { format: 'file' });
console.log(FileReader.open(file).batch(0).column('i').at(2)); // 3

const read = async (offset: number, length: number) => file.subarray(offset, offset + length); // such as fs.read
const ranges = await FileRangeReader.open({ size: file.length, read });
console.log(ranges.batchCount, (await ranges.batch(0)).numRows); // 1 3