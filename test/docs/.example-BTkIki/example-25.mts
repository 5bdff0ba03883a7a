import { readTensor, type Tensor, writeTensor } from 'recurve/arrow';

const type = { kind: 'int', bitWidth: 32, signed: true } as const;
const tensor: Tensor = { kind: 'dense', type, shape: [2, 3], values: Int32Array.of(1, 2, 3, 4, 5, 6) };
const back = readTensor(writeTensor(tensor));
console.log(back?.shape, back?.values); // [ 2, 3 ] Int32Array(6) [ 1, 2, 3, 4, 5, 6 ]