import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecurveError, type Table, tableFromIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';

const codecs = await loadCodecs();

/** What a mutation came to: a table that read right, or the status of our error. */
export type Outcome = 'valid' | RecurveError['status'];

/** A column of more values has no bytes for them (nulls, empty structs): the rest would read as these do. */
const maxTouched = 100_000;

/** The gold files of arrow-testing of up to 64 KiB, so that damage is likely to matter; always in the same order. */
export function readGold(root: string): Uint8Array[] {
  const folder = join(root, 'arrow-ipc-stream', 'integration');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(stream|arrow_file)$/.test(name))
    .sort()
    .map((name) => new Uint8Array(readFileSync(join(folder, name))))
    .filter((bytes) => bytes.length <= 65_536);
}

/** Mutation number `index`: the same bytes for the same number. */
export function mutate(files: readonly Uint8Array[], index: number): Uint8Array {
  const random = randomBelow(index);
  const source = files[random(files.length)] ?? new Uint8Array(0);
  let bytes = source.slice();
  for (let edits = 1 + random(4); edits > 0 && bytes.length > 8; edits--) {
    const at = random(bytes.length);
    const view = new DataView(bytes.buffer);
    switch (random(8)) {
      case 0:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
        break;
      case 1:
        bytes[at] = random(256);
        break;
      case 2:
        view.setInt32(Math.min(at & ~3, bytes.length - 4), words[random(words.length)] ?? 0, true);
        break;
      case 3:
        view.setBigInt64(Math.min(at & ~7, bytes.length - 8), BigInt(words[random(words.length)] ?? 0), true);
        break;
      case 4: {
        const word = Math.min(at & ~3, bytes.length - 4);
        view.setInt32(word, view.getInt32(word, true) + random(17) - 8, true);
        break;
      }
      case 5:
        bytes.copyWithin(at, random(bytes.length), random(bytes.length));
        break;
      case 6:
        bytes.fill(random(2) * 255, at, at + random(32));
        break;
      default:
        // Rarely, since what is cut off is refused at once.
        if (random(8) === 0) bytes = bytes.slice(0, at);
    }
  }
  return bytes;
}

const words = [0, 1, -1, 2, 7, 8, 127, 128, 255, 256, 65_535, 65_536, 0x7fffffff, -0x80000000, 0x7ffffff8];

/** Reads with full validation, then every value. Throws what is not our error. */
export function readDamaged(bytes: Uint8Array): Outcome {
  let table: Table;
  try {
    table = tableFromIPC(bytes, { codecs, maxDecompressedBytes: 2 ** 24 });
  } catch (error) {
    if (RecurveError.is(error) && error.status !== 'INTERNAL' && !error.message.includes('\n')) return error.status;
    throw error;
  }
  for (const { columns } of table.batches) {
    for (const column of columns) {
      const end = Math.min(column.length, maxTouched);
      for (let i = 0; i < end; i++) column.at(i);
      column.toArray(0, end);
    }
  }
  return 'valid';
}

/** Numbers below a limit, by mulberry32 (public domain, Tommy Ettinger). */
function randomBelow(seed: number): (limit: number) => number {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}
