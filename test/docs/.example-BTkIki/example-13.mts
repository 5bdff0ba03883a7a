import { RecurveError, tableFromArrays, tableFromIPC, tableToIPC } from 'recurve/arrow';

const bytes = tableToIPC(tableFromArrays({ t: ['needle', 'x'] }));
bytes[Buffer.from(bytes).indexOf('needle')] = 0xff;
try {
  tableFromIPC(bytes);
} catch (error) {
  if (!RecurveError.is(error)) throw error;
  console.log(error.message); // message 1: column "t", row 0, byte 64 of the body: the text is not UTF-8
}
console.log(tableFromIPC(bytes, { validate: 'none' }).column('t').at(1)); // x