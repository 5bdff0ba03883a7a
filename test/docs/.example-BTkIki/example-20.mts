import { tableFromArrays } from 'recurve/arrow';

const table = tableFromArrays({ x: Float64Array.from({ length: 1000 }, (_, i) => i / 2), y: [1, null, 3, ...Array(997).fill(0)] });
let sum = 0;
for (const { view } of table.column('x').chunks) {
  if (view !== null) for (let i = 0; i < view.length; i++) sum += Number(view[i]);
}
console.log(sum); // 249750

const y = table.batches[0]?.column('y');
console.log(y?.nullCount, y?.at(1), y?.slice(0, 3).toArray()); // 1 null [ 1, null, 3 ]