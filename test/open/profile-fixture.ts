import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

/** A folder of the test's own with these files. */
export function writeProfiles(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'recurve-profile-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** Everything that an error shows when it is logged: messages, hints, details, stacks, causes. */
export function showAll(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).map((key) => {
    const value: unknown = Reflect.get(error, key);
    if (key === 'cause') return showAll(value);
    if (key !== 'details' || !Array.isArray(value)) return String(value);
    return value.map(([name, bytes]: [string, Uint8Array]) => `${name} ${new TextDecoder().decode(bytes)}`).join('\n');
  });
  return own.join('\n');
}
