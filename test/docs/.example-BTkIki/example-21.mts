import { batchFromRows, date32, decimal128, field, int64, Schema, timestamp } from 'recurve/arrow';

const schema = new Schema([
  field('id', int64()),
  field('day', date32()),
  field('at', timestamp('us', 'UTC')),
  field('price', decimal128(9, 2)),
]);
const batch = batchFromRows(schema, [{ id: 7, day: 19_000, at: 1_700_000_000_000_001n, price: '9.90' }]);
console.log(batch.toArray()); // [ { id: 7n, day: 19000, at: 1700000000000001n, price: '9.90' } ]
console.log(batch.toArray({ int64: 'number', temporal: 'text', decimal: 'number' }));
// [ { id: 7, day: '2022-01-08', at: '2023-11-14T22:13:20.000001Z', price: 9.9 } ]
try {
  batch.toArray({ temporal: 'date' });
} catch (error) {
  console.log(`${error}`); // RecurveError: column "at", row 0: timestamp[us, UTC] 1700000000000001 does not fit a Date
}