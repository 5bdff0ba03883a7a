import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Table, textReader } from 'recurve/arrow';
import { run } from '../../src/cli/run.ts';
import { type FakeOptions, fakeIo } from './fake-io.ts';

/** What a command line said. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly bytes: Uint8Array;
  readonly err: string;
}

/** Runs a command line in this process. */
export async function recurve(argv: readonly string[], options: FakeOptions = {}): Promise<Said> {
  const io = fakeIo(options);
  const code = await run(argv, io);
  return { code, out: io.out(), bytes: io.outBytes(), err: io.err() };
}

/** A folder that goes with the suite that asked for it, as a function that gives the paths of files in it. */
export function temporaryFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'recurve-command-'));
  after(() => rmSync(folder, { recursive: true }));
  return (name) => join(folder, name);
}

/** Every value as its text, column by column; null for NULL. Types that hold the same value give the same text. */
export function tableTexts(table: Table): Record<string, (string | null)[]> {
  return Object.fromEntries(
    table.schema.fields.map((field, c) => [
      field.name,
      table.batches.flatMap((batch) => {
        const column = batch.columns[c];
        if (column === undefined) return [];
        const read = textReader(field, column);
        return Array.from({ length: batch.numRows }, (_, row) => read(row));
      }),
    ]),
  );
}
