import { decimal128, field, list, makeBuilder, RecurveError, struct, tableFromRows, utf8 } from 'recurve/arrow';

const table = tableFromRows([{ id: 1n, tags: ['a', 'b'] }, { id: 2n, at: new Date(0) }]);
console.log(`${table.schema}`); // id: int64, tags: list<item: utf8>, at: timestamp[ms, UTC], a line each

const builder = makeBuilder(field('order', struct({ total: decimal128(10, 2), lines: list(utf8()) })));
builder.append({ total: '12.5', lines: ['nut', 'bolt'] });
try {
  builder.append({ total: '0.001' });
} catch (error) {
  if (!RecurveError.is(error)) throw error;
  console.log(error.message); // column "order.total", row 1: "0.001" does not fit decimal128(10, 2)
}
console.log(builder.finish().at(0)); // { total: '12.50', lines: [ 'nut', 'bolt' ] }