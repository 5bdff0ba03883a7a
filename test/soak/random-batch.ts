import { field, float64, int64, makeColumn, RecordBatch, Schema, utf8 } from 'recurve/arrow';

/** An int64 that counts the rows, a float64, and a text of 40 letters that does not compress away. */
export const randomSchema = new Schema([field('n', int64()), field('x', float64()), field('s', utf8())]);

const rows = 65_536;
const width = 40;
/** Of Arrow buffers. */
const randomBatchByteLength: number = rows * (8 + 8 + 4 + width);

/** Batch `k` of a stream: always the same, in memory of its own. */
export function randomBatch(k: number): RecordBatch {
  const counts = new BigInt64Array(rows);
  const numbers = new Float64Array(rows);
  const offsets = new Int32Array(rows + 1);
  for (let i = 0; i < rows; i++) {
    counts[i] = BigInt(k * rows + i);
    numbers[i] = (k * rows + i) / 7;
    offsets[i + 1] = (i + 1) * width;
  }
  const data = new Uint8Array(rows * width);
  const words = new Uint32Array(data.buffer);
  let seed = k + 1;
  for (let i = 0; i < words.length; i++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
    // Four letters from a to p.
    words[i] = 0x6161_6161 + ((seed >>> 4) & 0x0f0f_0f0f);
  }
  const [n, x, s] = randomSchema.fields;
  if (n === undefined || x === undefined || s === undefined) throw new Error('three columns');
  return new RecordBatch(randomSchema, [
    makeColumn(n, { type: n.type, length: rows, values: counts }),
    makeColumn(x, { type: x.type, length: rows, values: numbers }),
    makeColumn(s, { type: s.type, length: rows, offsets, data }),
  ]);
}

/** What an ingest of such a stream took. */
export interface StreamCost {
  readonly rows: number;
  readonly streamBytes: number;
  readonly seconds: number;
  /** Of the process's resident memory, over what it was before, at its peak. */
  readonly growthBytes: number;
}

/** Measures `ingest` with a stream of at least so many bytes, whose batches are made as they are pulled. */
export async function measureStream(
  streamBytes: number,
  ingest: (batches: AsyncIterable<RecordBatch>) => Promise<number>,
): Promise<StreamCost> {
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  let made = 0;
  async function* batches(): AsyncGenerator<RecordBatch> {
    for (let k = 0; made < streamBytes; k++) {
      made += randomBatchByteLength;
      yield randomBatch(k);
      peak = Math.max(peak, process.memoryUsage.rss());
    }
  }
  const started = performance.now();
  const written = await ingest(batches());
  peak = Math.max(peak, process.memoryUsage.rss());
  const seconds = (performance.now() - started) / 1000;
  return { rows: written, streamBytes: made, seconds, growthBytes: peak - before };
}
