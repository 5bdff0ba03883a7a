import { RecurveError, tableFromArrays, tableFromIPC, tableToIPC } from 'recurve/arrow';

const bytes = tableToIPC(tableFromArrays({ i: Int32Array.of(1, 2, 3) }));
try {
  tableFromIPC(bytes.subarray(0, bytes.length - 20));
} catch (error) {
  if (!RecurveError.is(error)) throw error;
  console.log(error.status, error.message); // INVALID_DATA message 1: the input is cut off after 52 of the 64 bytes of its body
}