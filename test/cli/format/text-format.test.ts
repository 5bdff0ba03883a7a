import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bool, dictionary, float64, int8, int32, int64, uint32, uint64, utf8 } from '@uwdata/flechette';
import { Schema } from '../../../src/arrow/schema.ts';
import { makeBatch, write, writeColumns } from './batch.ts';

const awkward = [
  'plain',
  '',
  null,
  'a,b',
  'say "hi"',
  'two\nlines',
  'cr\rhere',
  ' padded ',
  'tab\there',
  'back\\slash',
  'ä漢😀',
];
const numbered = awkward.map((_, i) => i);

describe('CSV', () => {
  // RFC 4180, 2.5 to 2.7.
  test('quotes text with quotes, commas or line ends, doubles quotes, and tells NULL from empty text', async () => {
    assert.equal(
      await writeColumns('csv', ['n', numbered, int32()], ['t', awkward, utf8()]),
      [
        'n,t',
        '0,plain',
        '1,""',
        '2,',
        '3,"a,b"',
        '4,"say ""hi"""',
        '5,"two\nlines"',
        '6,"cr\rhere"',
        '7, padded ',
        '8,tab\there',
        '9,back\\slash',
        '10,ä漢😀',
        '',
      ].join('\n'),
    );
  });

  test('quotes names like values, and keeps names that repeat', async () => {
    assert.equal(
      await writeColumns('csv', ['a"b', [1], int32()], ['c,d', [2], int32()], ['c,d', [3], int32()]),
      '"a""b","c,d","c,d"\n1,2,3\n',
    );
  });

  test('has a header when there are no rows', async () => {
    const { schema } = makeBatch(['a', [1], int32()], ['b', ['x'], utf8()]);
    assert.equal((await write('csv', schema, [])).text, 'a,b\n');
  });

  test('is empty without columns', async () => {
    assert.equal((await write('csv', new Schema([]), [])).text, '');
  });
});

describe('TSV', () => {
  test('escapes tab, line ends and backslash, and writes NULL as \\N', async () => {
    assert.equal(
      await writeColumns('tsv', ['n', numbered, int32()], ['t', awkward, utf8()]),
      [
        'n\tt',
        '0\tplain',
        '1\t',
        '2\t\\N',
        '3\ta,b',
        '4\tsay "hi"',
        '5\ttwo\\nlines',
        '6\tcr\\rhere',
        '7\t padded ',
        '8\ttab\\there',
        '9\tback\\\\slash',
        '10\tä漢😀',
        '',
      ].join('\n'),
    );
  });
});

describe('JSON', () => {
  test('is an array of objects that every parser reads back, null where NULL is', async () => {
    const values = [...awkward, '\u0000\u001f\u007f\b\f'];
    const text = await writeColumns('json', ['t', values, utf8()]);
    assert.deepEqual(
      JSON.parse(text),
      values.map((t) => ({ t })),
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259, section 7, asks for their escape.
    assert.doesNotMatch(text.replaceAll('\n', ''), /[\u0000-\u001f]/);
  });

  test('has an object a line', async () => {
    assert.equal(
      await writeColumns('json', ['a', [1, 2], int32()], ['b', ['x', null], utf8()]),
      '[{"a":1,"b":"x"},\n{"a":2,"b":null}]\n',
    );
  });

  test('goes on from batch to batch with one comma between', async () => {
    const [first, second] = [makeBatch(['a', [1, 2], int32()]), makeBatch(['a', [3], int32()])];
    const empty = first.slice(0, 0);
    const { text } = await write('json', first.schema, [empty, first, empty, second, empty]);
    assert.equal(text, '[{"a":1},\n{"a":2},\n{"a":3}]\n');
  });

  test('of no rows is an empty array', async () => {
    const { schema } = makeBatch(['a', [1], int32()]);
    assert.equal((await write('json', schema, [])).text, '[]\n');
  });

  test('loses no value when names repeat or are odd', async () => {
    const text = await writeColumns(
      'json',
      ['a', [1], int32()],
      ['a', [2], int32()],
      ['__proto__', [3], int32()],
      ['q"\\', [4], int32()],
    );
    assert.equal(text, '[{"a":1,"a_1":2,"__proto__":3,"q\\"\\\\":4}]\n');
  });

  test('as lines has nothing around the objects, and every line ends', async () => {
    assert.equal(
      await writeColumns('jsonl', ['a', [1, null], int32()], ['b', ['x\ny', ''], utf8()]),
      '{"a":1,"b":"x\\ny"}\n{"a":null,"b":""}\n',
    );
    const { schema } = makeBatch(['a', [1], int32()]);
    assert.equal((await write('jsonl', schema, [])).text, '');
  });
});

describe('Markdown', () => {
  test('aligns numbers to the right and keeps a cell on its line', async () => {
    assert.equal(
      await writeColumns('markdown', ['n', [1, null], int32()], ['t', ['a|b', 'x\ny <i> & *z*'], utf8()]),
      '| n | t |\n| ---: | --- |\n| 1 | a\\|b |\n| NULL | x<br>y &lt;i> &amp; \\*z\\* |\n',
    );
  });
});

test('a Markdown table shows names and values as they are written', async () => {
  assert.equal(
    await writeColumns('markdown', ['__proto__', ['~~a~~ `b` _c_'], utf8()]),
    '| \\_\\_proto\\_\\_ |\n| --- |\n| \\~\\~a\\~\\~ \\`b\\` \\_c\\_ |\n',
  );
});

describe('values', () => {
  test('of every integer type are exact at their limits', async () => {
    const text = await writeColumns(
      'csv',
      ['i8', [-128, 127, 0], int8()],
      ['u32', [0, 4294967295, 2147483648], uint32()],
      ['i64', [-(2n ** 63n), 2n ** 63n - 1n, -1n], int64()],
      ['u64', [0n, 2n ** 64n - 1n, 2n ** 53n], uint64()],
    );
    assert.equal(
      text,
      'i8,u32,i64,u64\n-128,0,-9223372036854775808,0\n127,4294967295,9223372036854775807,18446744073709551615\n0,2147483648,-1,9007199254740992\n',
    );
  });

  test('around powers of ten and of two have all their digits', async () => {
    const values: bigint[] = [];
    for (let power = 0n; power < 19n; power++) values.push(10n ** power - 1n, 10n ** power, -(10n ** power));
    for (let power = 0n; power < 63n; power++)
      values.push(2n ** power - 1n, 2n ** power, -(2n ** power), -(2n ** power) - 1n);
    const text = await writeColumns('csv', ['v', values, int64()]);
    assert.deepEqual(text.trimEnd().split('\n').slice(1), values.map(String));
  });

  test('behind a dictionary are what the dictionary says', async () => {
    assert.equal(await writeColumns('csv', ['t', ['x', null, 'a,b', 'x'], dictionary(utf8())]), 't\nx\n\n"a,b"\nx\n');
    assert.equal(await writeColumns('jsonl', ['t', ['x', null], dictionary(utf8())]), '{"t":"x"}\n{"t":null}\n');
  });

  test('that are true or false are bare in JSON', async () => {
    assert.equal(
      await writeColumns('jsonl', ['b', [true, false, null], bool()]),
      '{"b":true}\n{"b":false}\n{"b":null}\n',
    );
  });

  test('of a slice are its own', async () => {
    const batch = makeBatch(
      ['n', [0, 1, null, 3, 4], int32()],
      ['t', ['a', 'b', 'c', null, 'e'], utf8()],
      ['b', [true, null, false, true, true], bool()],
    );
    const { text } = await write('csv', batch.schema, [batch.slice(1, 4)]);
    assert.equal(text, 'n,t,b\n1,b,\n,c,false\n3,,true\n');
  });

  test('that are floats come back as the same number', async () => {
    const values = [0.1, -1e-300, 1e300, 5e-324, 123456789.125, 1 / 3];
    const text = await writeColumns('csv', ['f', values, float64()]);
    assert.deepEqual(text.trimEnd().split('\n').slice(1).map(Number), values);
  });
});

describe('a long result', () => {
  test('goes out in large pieces that end with a row', async () => {
    const count = 100_000;
    const batch = makeBatch(
      ['n', Array.from({ length: count }, (_, i) => i), int32()],
      ['t', Array.from({ length: count }, (_, i) => `row ${i}`), utf8()],
    );
    const { text, writes } = await write('csv', batch.schema, [batch]);
    assert.equal(text.split('\n').length, count + 2);
    assert.ok(text.endsWith('99999,row 99999\n'));
    assert.ok(writes.length > 2 && writes.slice(0, -1).every((length) => length >= 256 * 1024), `${writes}`);
  });

  test('of one huge value is written whole', async () => {
    const huge = '"\n'.repeat(1_000_000);
    const text = await writeColumns('jsonl', ['t', [huge], utf8()]);
    assert.equal((JSON.parse(text) as { t: string }).t, huge);
  });
});
