import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Override {
  includes: string[];
  linter?: { rules?: { style?: { noRestrictedImports?: unknown } } };
}

test('every source file falls under an import rule in biome.json', () => {
  const { overrides } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as { overrides: Override[] };
  const globs = overrides.filter((one) => one.linter?.rules?.style?.noRestrictedImports).flatMap((one) => one.includes);
  const covered = new RegExp(`^(${globs.map(globToPattern).join('|')})$`);
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.c?ts$/.test(file))
    .map((file) => `src/${file.replaceAll(sep, '/')}`);
  assert.ok(files.length > 0);
  const astray = files.filter((file) => !covered.test(file) || /\/decode\/.*\//.test(file));
  assert.deepEqual(astray, [], 'add their folder to the layers in biome.json, and to the lists of the others');
});

function globToPattern(glob: string): string {
  return glob.replaceAll('.', '\\.').replace(/\*\*?/g, (stars) => (stars === '**' ? '.*' : '[^/]*'));
}
