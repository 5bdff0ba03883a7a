import { openArrowUrl, StreamReader, tableFromArrays, tableToIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { queryDuckDB } from './duckdb-wasm.ts';
import { type Outcome, outcomeOf, readOutcome } from './outcome.ts';

/** A file that the page's server has, and how closely it is looked at. */
export interface ServedFile {
  readonly url: string;
  readonly validate: 'default' | 'full';
}

/** How a file reads in the browser: from memory, as a stream from the network, by ranges. */
export interface ServedOutcome {
  readonly memory: Outcome;
  readonly stream: Outcome;
  readonly ranges: Outcome;
}

async function readServed({ url, validate }: ServedFile): Promise<ServedOutcome> {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const memory = await readOutcome(bytes, validate);
  const stream = await outcomeOf(async () => {
    const { body } = await fetch(url);
    return (await StreamReader.from(body ?? new Uint8Array(), { validate })).table();
  });
  const ranges = await outcomeOf(async () => (await openArrowUrl(url, { validate })).table());
  return { memory, stream, ranges };
}

/** How a table reads that the browser wrote: plain, with LZ4 and with ZSTD; and the bytes that each took. */
async function writeCompressed(): Promise<Record<string, { outcome: Outcome; byteLength: number }>> {
  const codecs = await loadCodecs();
  const numbers = Int32Array.from({ length: 100_000 }, (_, i) => i >> 5);
  const table = tableFromArrays({ numbers, words: Array.from(numbers, (n) => `word ${n % 100}`) });
  const results: Record<string, { outcome: Outcome; byteLength: number }> = {};
  for (const compression of [undefined, 'lz4', 'zstd'] as const) {
    const bytes = tableToIPC(table, { compression, codecs });
    const { body } = new Response(bytes);
    const outcome = await outcomeOf(async () => (await StreamReader.from(body ?? bytes)).table());
    results[compression ?? 'plain'] = { outcome, byteLength: bytes.length };
  }
  return results;
}

/** Whether a policy lets code be made of text; asked here, since what tests evaluate in a page is exempt. */
function canMakeCode(): boolean {
  try {
    return new Function('return true')();
  } catch {
    return false;
  }
}

/** What tests call in the page. */
const page = {
  makesCode: canMakeCode(),
  async readServed(files: readonly ServedFile[]): Promise<ServedOutcome[]> {
    const outcomes: ServedOutcome[] = [];
    for (const file of files) outcomes.push(await readServed(file));
    return outcomes;
  },
  writeCompressed,
  queryDuckDB,
};

Object.assign(globalThis, { page });
