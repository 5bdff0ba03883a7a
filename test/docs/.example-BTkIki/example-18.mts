import { StreamReader, tableFromArrays, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';

const table = tableFromArrays({ year: Int32Array.from({ length: 10_000 }, (_, i) => 1900 + (i >> 7)) });
const codecs = await loadCodecs();
const bytes = tableToIPC(table, { compression: 'zstd', codecs }); // or 'lz4'
console.log(bytes.length < tableToIPC(table).length / 10); // true
console.log(tableFromIPC(bytes, { codecs }).numRows); // 10000
console.log((await (await StreamReader.from(bytes)).table()).numRows); // 10000