import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recurve } from './run-command.ts';

test('docs/recurve.1.md is what the command table says', async () => {
  const { code, out } = await recurve(['manual']);
  assert.equal(code, 0);
  assert.equal(
    readFileSync(new URL('../../docs/recurve.1.md', import.meta.url), 'utf8'),
    out,
    'recurve manual > docs/recurve.1.md',
  );
});
