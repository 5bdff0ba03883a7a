import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { Workplace } from './command.ts';

interface Example {
  readonly line: string;
  readonly expected: string;
}

/** The `$ ` lines of the console blocks, each with the output that follows it. */
function readExamples(markdown: string): Example[] {
  return [...markdown.matchAll(/^```console\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((example) => {
        const end = example.indexOf('\n');
        return { line: example.slice(0, end), expected: example.slice(end + 1) };
      }),
  );
}

describe('an example of docs/cli.md', () => {
  const workplace = new Workplace();
  after(() => workplace.remove());
  const examples = readExamples(readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8'));

  test('is found by this test', () => {
    assert.ok(examples.length >= 15, `${examples.length} examples`);
  });

  for (const { line, expected } of examples) {
    test(`prints what the page says: ${line}`, async () => {
      const { out, err } = await workplace.run(line);
      assert.equal(out, expected, err);
    });
  }
});
