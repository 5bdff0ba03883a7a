import { openArrowUrl, StreamDecoder, tableFromArrays, tableFromIPC, tableToIPC } from 'recurve/arrow';

const table = tableFromArrays({ a: Int32Array.of(1, 2), b: ['x', 'y'], c: Float64Array.of(0.5, 1.5) });
const stream = tableToIPC(table);
console.log(tableFromIPC(stream, { columns: ['c', 'a'] }).toArray()); // [ { c: 0.5, a: 1 }, { c: 1.5, a: 2 } ]

const decoder = new StreamDecoder();
const counts: number[] = [];
for (let at = 0; at < stream.length; at += 100) {
  for (const batch of decoder.push(stream.subarray(at, at + 100))) counts.push(batch.numRows);
}
decoder.finish();
console.log(counts); // [ 2 ]

const file = tableToIPC(table, { format: 'file' });
const fetch = async () => new Response(file); // the platform's own is the default; this one knows no ranges
const reader = await openArrowUrl('https://example.com/table.arrow', { columns: ['b'], fetch });
console.log((await reader.table()).column('b').toArray()); // [ 'x', 'y' ]