import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseArguments } from '../../src/cli/argument.ts';
import type { CommandOption } from '../../src/cli/command.ts';

const options: CommandOption[] = [
  { name: 'output', short: 'o', value: 'FILE', summary: '' },
  { name: 'format', short: 'f', value: 'FORMAT', choices: ['csv', 'json', 'jsonl'], summary: '' },
  { name: 'param', value: 'V', repeats: true, summary: '' },
  { name: 'timeout', value: 'S', summary: '' },
  { name: 'debug', short: 'd', summary: '' },
];

const usage = (message: RegExp, hint?: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Error && 'exitCode' in error && 'hint' in error);
  assert.match(error.message, message);
  assert.equal(error.exitCode, 2);
  if (hint !== undefined) assert.match(String(error.hint), hint);
  return true;
};

describe('arguments', () => {
  test('take a value after a space, after an equals sign and joined to the letter', () => {
    for (const argv of [['--output', 'x'], ['--output=x'], ['-o', 'x'], ['-ox'], ['-o=x']]) {
      assert.equal(parseArguments(argv, options).get('output'), 'x', argv.join(' '));
    }
  });

  test('may stand before, between and after operands', () => {
    const args = parseArguments(['a', '-o', 'x', 'b', '--debug'], options);
    assert.deepEqual(args.operands, ['a', 'b']);
    assert.ok(args.has('debug'));
  });

  test('let a value begin with a dash', () => {
    assert.deepEqual(parseArguments(['--param', '-1', '--param', '--x'], options).all('param'), ['-1', '--x']);
  });

  test('take a statement that begins with a comment for an operand', () => {
    const sql = '-- all of them\nselect 1';
    assert.deepEqual(parseArguments([sql, '--sums\nselect 2'], options).operands, [sql, '--sums\nselect 2']);
  });

  test('end at a double dash', () => {
    const args = parseArguments(['--', '--debug', '-o'], options);
    assert.deepEqual(args.operands, ['--debug', '-o']);
    assert.ok(!args.has('debug'));
  });

  test('keep an empty value and a single dash', () => {
    assert.equal(parseArguments(['--output='], options).get('output'), '');
    assert.deepEqual(parseArguments(['-'], options).operands, ['-']);
  });

  test('keep repeated values in order where that is allowed, and refuse them elsewhere', () => {
    assert.deepEqual(parseArguments(['--param', 'a', '--param=b'], options).all('param'), ['a', 'b']);
    assert.throws(() => parseArguments(['-o', 'a', '-o', 'b'], options), usage(/--output is given twice/));
  });

  test('name an unknown option and the one that was meant', () => {
    assert.throws(() => parseArguments(['--outptu', 'x'], options), usage(/unknown option --outptu/, /--output/));
    assert.throws(() => parseArguments(['--xyzzy'], options), usage(/unknown option --xyzzy/, /--help/));
    assert.throws(() => parseArguments(['-q'], options), usage(/unknown option -q/));
  });

  test('refuse a missing value, a value for a switch, and a value that is not among the choices', () => {
    assert.throws(() => parseArguments(['-o'], options), usage(/-o needs a value/));
    assert.throws(() => parseArguments(['--debug=1'], options), usage(/--debug takes no value/));
    assert.throws(() => parseArguments(['-f', 'jsno'], options), usage(/--format "jsno"/, /did you mean json\?/));
    assert.throws(() => parseArguments(['-f', 'xml'], options), usage(/"xml"/, /one of csv, json, jsonl/));
  });

  test('read positive numbers and refuse everything else with the offending value', () => {
    const number = (text: string, whole: boolean) =>
      parseArguments(['--timeout', text], options).positive('timeout', { whole });
    assert.equal(number('1.5', false), 1.5);
    assert.equal(number('.5', false), 0.5);
    assert.equal(number('7', true), 7);
    for (const text of ['0', '-1', 'x', '', '1e3', 'Infinity', '5 s']) {
      assert.throws(() => number(text, false), usage(/--timeout takes a number above 0, not /), text);
    }
    assert.throws(() => number('1.5', true), usage(/a whole number above 0, not "1.5"/));
    assert.equal(parseArguments([], options).positive('timeout', { whole: false }), undefined);
  });
});
