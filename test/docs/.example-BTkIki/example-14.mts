import { compact, tableFromArrays } from 'recurve/arrow';

const large = tableFromArrays({ i: Int32Array.from({ length: 100_000 }, (_, i) => i) });
const kept = compact(large.slice(10, 20));
console.log(kept.numRows, kept.batches[0]?.column('i').layout.values?.buffer.byteLength); // 10 64