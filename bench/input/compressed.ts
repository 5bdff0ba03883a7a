import { tableFromArrays, tableToIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { Random } from '../harness/random.ts';

const words = ['north', 'south', 'river', 'mountain', 'lake', 'city', 'street', 'house'];

/**
 * A stream of int32, float64 and utf8 in 16 batches whose bodies shrink about 3 to 1: numbers of few different values, prices of
 * two digits that repeat, words. Always the same bytes on the same platform.
 */
export async function makeCompressed(compression: 'lz4' | 'zstd', rows: number): Promise<Uint8Array> {
  const random = new Random(4);
  const prices = Float64Array.from({ length: 200 }, () => random.below(100_000) / 100);
  const value = Float64Array.from({ length: rows }, () => 0);
  for (let i = 0; i < rows; ) {
    const from = random.below(150);
    for (let k = 0; k < 24 && i < rows; k++) value[i++] = prices[from + k] ?? 0;
  }
  const table = tableFromArrays({
    id: Int32Array.from({ length: rows }, (_, i) => i >> 3),
    value,
    name: Array.from({ length: rows }, () => `${words[random.below(8)]} ${words[random.below(8)]}`),
  });
  const size = rows / 16;
  const batches = Array.from({ length: 16 }, (_, i) => table.slice(i * size, (i + 1) * size).batches[0]);
  const whole = { schema: table.schema, batches: batches.filter((batch) => batch !== undefined) };
  return tableToIPC(whole, { compression, codecs: await loadCodecs() });
}
