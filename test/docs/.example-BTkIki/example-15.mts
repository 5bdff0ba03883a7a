import { compact, fromTransferable, tableFromArrays, toTransferable } from 'recurve/arrow';

const [batch] = tableFromArrays({ i: Int32Array.of(1, 2, 3) }).batches;
if (batch === undefined) throw new Error('no batch');
const { message, transfer } = toTransferable(compact(batch));
const arrived = structuredClone(message, { transfer }); // as postMessage(message, transfer) does
console.log(fromTransferable(arrived).column('i').toArray()); // Int32Array(3) [ 1, 2, 3 ]