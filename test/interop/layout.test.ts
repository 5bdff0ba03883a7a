import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import {
  binaryView,
  type DataType,
  type Field,
  field,
  int16,
  int64,
  largeListView,
  listView,
  makeBuilder,
  RecordBatch,
  runEndEncoded,
  Schema,
  struct,
  tableFromIPC,
  tableToIPC,
  utf8,
  utf8View,
} from 'recurve/arrow';

// Views, list views and run-end encoding, against pyarrow: it validates what we write, and writes it again.

const python = process.env.RECURVE_PYTHON;
const skip = python === undefined ? 'RECURVE_PYTHON names no Python with pyarrow' : false;

const script = `
import sys, json, pyarrow as pa
reader = pa.ipc.open_stream(sys.stdin.buffer.read())
table = reader.read_all()
table.validate(full=True)
values = [[list(v) if isinstance(v, bytes) else v for v in column.to_pylist()] for column in table.columns]
sink = pa.BufferOutputStream()
with pa.ipc.new_stream(sink, table.schema) as writer: writer.write_table(table)
print(json.dumps([[str(t) for t in table.schema.types], values, sink.getvalue().to_pybytes().hex()]))
`;

const long = 'more than twelve bytes, zwölf';
const cases: readonly [DataType, readonly unknown[], string][] = [
  [utf8View(), ['', 'short', null, long, 'exactly 12 b', long], 'string_view'],
  [binaryView(), [Buffer.from(long), null, Buffer.from('ab'), Buffer.alloc(0)], 'binary_view'],
  [listView(utf8View()), [[long], [], null, ['a', null, long]], 'list_view<item: string_view>'],
  [largeListView(int64()), [[1n, 2n], null, [], [3n]], 'large_list_view<item: int64>'],
  [
    runEndEncoded(utf8(), int16()),
    ['a', 'a', null, null, 'b', 'b', 'a'],
    'run_end_encoded<run_ends: int16, values: string>',
  ],
  [
    struct({ r: runEndEncoded(int64()), v: utf8View() }),
    [{ r: 1n, v: long }, { r: 1n, v: 'x' }, null, { r: null, v: null }],
    '',
  ],
];

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return [...value];
  if (value instanceof BigInt64Array) return Array.from(value, Number);
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}

describe('views, list views and runs, against pyarrow', { skip }, () => {
  for (const [type, values, name] of cases) {
    it(`${type.kind} of ${values.length} values, whole, sliced and empty`, () => {
      const schema = new Schema([field('c', type)]);
      const builder = makeBuilder(schema.field(0) as Field);
      builder.appendAll(values);
      const whole = new RecordBatch(schema, [builder.finish()], values.length);
      const batches = [whole, whole.slice(1, 3), whole.slice(3), whole.slice(0, 0)];
      const expected = [...values, ...values.slice(1, 3), ...values.slice(3)].map(plain);
      const input = tableToIPC({ schema, batches });
      const output = execFileSync(python ?? '', ['-c', script], { input, maxBuffer: 1 << 26 }).toString();
      const [types, columns, hex] = JSON.parse(output) as [string[], unknown[][], string];
      if (name !== '') assert.deepEqual(types, [name]);
      assert.deepEqual(columns[0], expected);
      const again = tableFromIPC(new Uint8Array(Buffer.from(hex, 'hex')));
      const read = again.batches.flatMap((batch) => Array.from(batch.column(0), plain));
      assert.deepEqual(read, expected);
    });
  }
});
