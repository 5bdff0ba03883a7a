import { tableFromArrays, tableFromIPC, tableToIPC } from 'recurve/arrow';

const table = tableFromArrays({ city: ['Bern', 'Oslo', null], degrees: Float64Array.of(7.5, -2, 31) });
const bytes = tableToIPC(table);
const back = tableFromIPC(bytes);
console.log(`${back.schema}`); // city: utf8, degrees: float64, a line each
console.log(back.numRows, back.column('city').at(1)); // 3 Oslo
console.log(back.toArray()[2]); // { city: null, degrees: 31 }