import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Column } from '../../src/arrow/column.ts';
import { parseParameters } from '../../src/cli/parameter.ts';

describe('parameters', () => {
  test('are text by position and by name unless they have a type', () => {
    assert.deepEqual(parseParameters(['5', '-1', '', 'a b']), ['5', '-1', '', 'a b']);
    assert.deepEqual(parseParameters(['a=5', 'b=', 'c=x=y']), { a: '5', b: '', c: 'x=y' });
    assert.deepEqual(parseParameters([]), []);
  });

  test('have the type that stands after a colon', () => {
    assert.deepEqual(
      parseParameters(['i:int=9223372036854775807', 'b:bool=true', 'c:bool=false', 'n:null=', 't:text=5']),
      { i: 9223372036854775807n, b: true, c: false, n: null, t: '5' },
    );
    assert.deepEqual(parseParameters(['h:hex=00fF']), { h: Uint8Array.of(0, 255) });
    assert.deepEqual(parseParameters([':timestamp=2001-02-03T04:05:06Z']), [new Date('2001-02-03T04:05:06Z')]);
  });

  test('bind a float as float64 even when it is whole', () => {
    const [value] = Object.values(parseParameters([':float=5']));
    assert.ok(value instanceof Column);
    assert.deepEqual(value.type, { kind: 'float', bitWidth: 64 });
    assert.deepEqual([...value], [5]);
  });

  test('are whole numbers exactly: as a number where one holds them, else as a bigint', () => {
    assert.deepEqual(parseParameters([':int=3', ':int=-7', ':int=9007199254740991']), [3, -7, 9007199254740991]);
    assert.deepEqual(parseParameters([':int=9007199254740993', ':int=-0']), [9007199254740993n, 0n]);
    const floats = parseParameters([':float=Infinity', ':float=1e308', ':timestamp=2000-02-29']);
    assert.deepEqual([...((floats as Column[])[0] ?? [])], [Infinity]);
  });

  test('hold an equals sign by position after one more', () => {
    assert.deepEqual(parseParameters(['=a=b', '1 + 1 = 2']), ['a=b', '1 + 1 = 2']);
  });

  test('never go by position and by name at once', () => {
    assert.throws(() => parseParameters(['5', 'a=1']), { exitCode: 2, message: /by position or by name, not both/ });
    assert.throws(() => parseParameters(['a=1', 'a=2']), { exitCode: 2, message: /--param a is given twice/ });
  });

  test('that do not fit their type are refused with what was given', () => {
    const given: [text: string, message: RegExp][] = [
      ['n:int=1.5', /"n:int=1.5": int takes a whole number/],
      ['n:int=', /int takes a whole number/],
      ['n:float=1,5', /float takes a number/],
      ['n:bool=yes', /bool takes true or false/],
      ['n:timestamp=yesterday', /timestamp takes an ISO date/],
      ['n:timestamp=2001-02-31T99:00:00Z', /timestamp takes an ISO date/],
      ['n:timestamp=2001-02-30', /timestamp takes an ISO date/],
      ['n:timestamp=2001-02-29T12:00:00+05:00', /timestamp takes an ISO date/],
      ['n:timestamp=2001-13-01', /timestamp takes an ISO date/],
      ['n:float=1e400', /float takes a number within float64/],
      ['n:float=-1e400', /float takes a number within float64/],
      ['n:hex=abc', /hex takes pairs/],
      ['n:null=x', /null takes nothing/],
      ['n:itn=1', /no type "itn"/],
      ['n:constructor=1', /no type "constructor"/],
    ];
    for (const [text, message] of given) assert.throws(() => parseParameters([text]), { exitCode: 2, message }, text);
  });
});
