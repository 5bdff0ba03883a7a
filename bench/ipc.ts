import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageVersion } from './harness/environment.ts';
import type { Arm, Input, Suite } from './harness/suite.ts';
import { makeCompressed } from './input/compressed.ts';
import { makeDictionaryParts, quickDictionary, wholeDictionary } from './input/dictionary.ts';
import { makeStream, quickStream, wholeStream } from './input/stream.ts';

const FILE = 'input.arrows';
const compressions = ['lz4', 'zstd'] as const;
const LIBRARIES = ['recurve', 'apache-arrow', 'flechette'];
/** Only where RECURVE_PYTHON names an interpreter that has it. */
const PYTHON = process.env.RECURVE_PYTHON === undefined ? [] : ['pyarrow'];

/**
 * Arrow IPC in memory. One process a cell and arm: which code a library has run before decides how V8 compiles the rest of
 * it (an accessor that has seen one type is inlined, one that has seen three is not), and a million live objects of one
 * arm would be marked by the collections of the next.
 */
export const suite: Suite = {
  name: 'ipc',
  question: 'How fast is an Arrow stream of 1M rows (int32, float64, utf8; 16 batches, 23 MB) read and written?',
  module: import.meta.url,
  rounds: 12,
  processSets: 3,
  cells: [
    { name: 'open', about: 'bytes to a table, no value read', arms: LIBRARIES },
    { name: 'decode-none', about: 'bytes to a table, nothing validated', arms: [...LIBRARIES, ...PYTHON] },
    {
      name: 'decode-full',
      about: `bytes to a table, everything validated${PYTHON.length > 0 ? '' : ' (no arm pyarrow without RECURVE_PYTHON)'}`,
      arms: ['recurve', ...PYTHON],
    },
    {
      name: 'decode-read',
      about: 'bytes to a table, everything validated or not, and all values into arrays',
      arms: ['recurve', 'recurve-none'],
    },
    { name: 'iterate', about: 'all values of all columns, one after the other', arms: LIBRARIES },
    {
      name: 'bulk-sum',
      about: 'sum of the float64 column over the arrays of its chunks',
      arms: [...LIBRARIES, 'plain'],
    },
    { name: 'value-sum', about: 'sum of the float64 column, each value by its index', arms: [...LIBRARIES, 'plain'] },
    { name: 'strings', about: 'all values of the utf8 column into one array', arms: LIBRARIES },
    { name: 'rows', about: 'all rows as objects, every property read', arms: [...LIBRARIES, 'flechette-getters'] },
    {
      name: 'rows-csp',
      about: 'the same where code may not be generated from text, as under a content-security policy',
      arms: LIBRARIES,
      nodeFlags: ['--disallow-code-generation-from-strings'],
    },
    {
      name: 'encode',
      about: 'the table to a stream in one buffer',
      arms: [...LIBRARIES, 'copy'],
      floors: ['copy'],
    },
    {
      name: 'dictionary-skip',
      about: '1,000 batches of 2,048 rows to a stream, each with a dictionary made anew of the same 10,000 strings',
      arms: ['recurve', 'apache-arrow'],
    },
    {
      name: 'dictionary-delta',
      about: 'the same, with 16 strings more in each batch, sent as deltas; against sending each dictionary whole',
      arms: ['recurve', 'recurve-whole'],
    },
    {
      name: 'dictionary-whole',
      about: 'the same, each dictionary sent whole',
      arms: ['recurve', 'apache-arrow'],
    },
    ...compressions.map((codec) => ({
      name: `${codec}-decode`,
      about: `bytes of 27 MB whose buffers ${codec} made 3 times smaller, to a table, no native codec`,
      arms: ['recurve', 'apache-arrow', 'flechette'],
    })),
  ],

  async versions() {
    return {
      'apache-arrow': await packageVersion('apache-arrow'),
      flechette: await packageVersion('@uwdata/flechette'),
    };
  },

  async prepare({ folder, quick }) {
    await writeFile(join(folder, FILE), makeStream(quick ? quickStream : wholeStream));
    for (const codec of compressions) {
      await writeFile(join(folder, `${codec}.arrows`), await makeCompressed(codec, quick ? 16_000 : 1_000_000));
    }
  },

  async openArm(cell: string, arm: string, input: Input): Promise<Arm> {
    if (cell.startsWith('dictionary-')) return openDictionaryArm(cell, arm, input);
    const codec = compressions.find((name) => cell === `${name}-decode`);
    if (codec !== undefined) {
      const bytes = new Uint8Array(await readFile(join(input.folder, `${codec}.arrows`)));
      return openCompressed(arm, codec, bytes);
    }
    const path = join(input.folder, FILE);
    const bytes = new Uint8Array(await readFile(path));
    switch (arm) {
      case 'recurve':
        return (await import('./recurve/ipc.ts')).openArm(cell, bytes);
      case 'recurve-none':
        return (await import('./recurve/ipc.ts')).openArm(cell, bytes, 'none');
      case 'pyarrow':
        return (await import('./peers/pyarrow.ts')).openArm(cell, path);
      case 'apache-arrow':
        return (await import('./peers/apache-arrow.ts')).openArm(cell, bytes);
      case 'flechette':
        return (await import('./peers/flechette.ts')).openArm(cell, bytes);
      case 'flechette-getters':
        return (await import('./peers/flechette.ts')).openArm(cell, bytes, { getters: true });
      case 'plain':
        return (await import('./peers/plain.ts')).openArm(bytes);
      case 'copy':
        return (await import('./peers/plain.ts')).openCopyArm(bytes);
      default:
        throw new RangeError(`no arm ${arm}`);
    }
  },
};

async function openDictionaryArm(cell: string, arm: string, { quick }: Input): Promise<Arm> {
  const shape = quick ? quickDictionary : wholeDictionary;
  const parts = makeDictionaryParts(shape, cell === 'dictionary-skip' ? 0 : 16);
  if (arm === 'apache-arrow') return (await import('./peers/apache-arrow-dictionary.ts')).openDictionaryArm(parts);
  const dictionaryDeltas = cell !== 'dictionary-whole' && arm !== 'recurve-whole';
  return (await import('./recurve/dictionary.ts')).openDictionaryArm(parts, { dictionaryDeltas });
}

async function openCompressed(arm: string, codec: 'lz4' | 'zstd', bytes: Uint8Array): Promise<Arm> {
  const arms = await import('./peers/compressed.ts');
  switch (arm) {
    case 'recurve':
      return arms.openRecurve(bytes);
    case 'apache-arrow':
      return arms.openApache(codec, bytes);
    default:
      return arms.openFlechette(codec, bytes);
  }
}
