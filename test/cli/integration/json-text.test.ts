import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseExactJson } from '../../../src/cli/integration/json-text.ts';

describe('JSON with long numbers', () => {
  test('gives whole numbers beyond 2^53 as text with all of their digits', () => {
    const text = '{"a": [9007199254740993, -9223372036854775808,1], "b":18446744073709551615}';
    assert.deepEqual(parseExactJson(text), {
      a: ['9007199254740993', '-9223372036854775808', 1],
      b: '18446744073709551615',
    });
  });

  test('leaves texts with digits, quotes and backslashes, and fractions, as they are', () => {
    const value = { '12345678901234567890': '9007199254740993, "9007199254740993\\', f: [0.1234567890123456, 1e21] };
    assert.deepEqual(parseExactJson(JSON.stringify(value)), value);
    const fractions = '[1234567890123456789.5, 12345678901234567e3, 0.12345678901234567]';
    assert.deepEqual(parseExactJson(fractions), JSON.parse(fractions));
  });

  test('gives any JSON without long numbers as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/\d{16}/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')));
        assert.deepEqual(parseExactJson(text), JSON.parse(text));
      }),
    );
  });

  test('takes time in proportion to the text', () => {
    const text = `[${'"\\\\",9007199254740993,'.repeat(200_000)}"${'x\\"'.repeat(1_000_000)}"]`;
    const start = performance.now();
    assert.equal((parseExactJson(text) as unknown[]).length, 400_001);
    assert.ok(performance.now() - start < 5000);
  });

  test('throws for what is no JSON', () => {
    for (const text of ['', '{"a', '[1,]', '"\\']) assert.throws(() => parseExactJson(text), SyntaxError);
  });
});
