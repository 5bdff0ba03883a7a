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
      assert.deepEqual(publicNames(new URL(target['recurve-source'] ?? '', root)), expected[subpath]);
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

/** Names exported by an index, which re-exports by name, and all types of a file with `export type *`; types are marked. */
function publicNames(index: URL): string[] {
  const source = readFileSync(index, 'utf8');
  assert.doesNotMatch(source, /export \* /, 'an index names the values that it exports');
  const listed = [...source.matchAll(/export (type )?\{([^}]*)\}/g)].flatMap(([, type, list]) =>
    (list ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => (type === undefined || name.startsWith('type ') ? name : `type ${name}`)),
  );
  const typed = [...source.matchAll(/export type \* from '([^']+)'/g)].flatMap(([, file]) => {
    const types = readFileSync(new URL(file ?? '', index), 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm);
    return [...types].map(([, name]) => `type ${name}`);
  });
  const declared = [...source.matchAll(/^export (?:const|class|function|async function) (\w+)/gm)].map(
    ([, name]) => name ?? '',
  );
  return [...listed, ...typed, ...declared].sort();
}
