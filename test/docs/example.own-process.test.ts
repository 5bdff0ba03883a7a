import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('every TypeScript example of the documentation runs as it stands', () => {
  // Inside the checkout, so that `recurve/…` resolves to the package itself.
  const directory = mkdtempSync(join(root, 'test', 'docs', '.example-'));
  test.after(() => rmSync(directory, { recursive: true }));

  const examples = pages.flatMap((page) => examplesOf(page));
  test('there are examples', () => assert.ok(examples.length >= 5, `${examples.length} examples`));

  for (const [index, { place, code }] of examples.entries()) {
    test(place, async () => {
      const file = join(directory, `example-${index}.mts`);
      writeFileSync(file, code);
      const flags = ['--conditions=recurve-source', `--import=${import.meta.resolve('tsx')}`];
      await run(process.execPath, [...flags, file], { cwd: directory, timeout: 60_000 });
    });
  }
});

/** The blocks fenced as `ts`; those that only show a shape are fenced as `typescript`. */
function examplesOf(page: string): { place: string; code: string }[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const examples: { place: string; code: string }[] = [];
  for (let i = 0; i < lines.length; i++) {
    if (lines[i] !== '```ts') continue;
    const end = lines.indexOf('```', i + 1);
    examples.push({ place: `${page}:${i + 1}`, code: lines.slice(i + 1, end).join('\n') });
    i = end;
  }
  return examples;
}
