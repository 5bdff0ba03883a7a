import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

const root = new URL('../../', import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  exports: Record<string, { 'recurve-source'?: string } | string>;
};
const expected = JSON.parse(readFileSync(new URL('public-name.json', import.meta.url), 'utf8')) as Record<
  string,
  string[]
>;

describe('the public names of each subpath are those that public-name.json lists', () => {
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string') continue;
    test(subpath, () => {
      const source = readFileSync(new URL(target['recurve-source'] ?? '', root), 'utf8');
      assert.deepEqual(publicNames(source), expected[subpath]);
    });
  }

  test('and there are no others', () => {
    const subpaths = Object.entries(exports).filter(([, target]) => typeof target !== 'string');
    assert.deepEqual(
      subpaths.map(([subpath]) => subpath),
      Object.keys(expected),
    );
  });
});

/** Names exported by an index, which only re-exports by name; types are marked. */
function publicNames(source: string): string[] {
  assert.doesNotMatch(source, /export \* /, 'an index names what it exports');
  const names = [...source.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, type, list]) =>
    (list ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => (type === undefined || name.startsWith('type ') ? name : `type ${name}`)),
  );
  const declared = [...source.matchAll(/export (?:const|class|function|async function) (\w+)/g)].map(
    ([, name]) => name ?? '',
  );
  return [...names, ...declared].sort();
}
