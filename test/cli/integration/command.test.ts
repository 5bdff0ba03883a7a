import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tableFromIPC } from 'recurve/arrow';
import { recurve, type Said, temporaryFolder } from '../run-command.ts';
import { integrationFile, manyDictionaries, manyTypes } from './case.ts';

const text = integrationFile(manyTypes, { dictionaries: manyDictionaries });

describe('recurve integration', () => {
  const path = temporaryFolder();
  const integration = (env: Record<string, string>, stdin?: Uint8Array): Promise<Said> =>
    recurve(['integration'], { env, ...(stdin && { stdin }) });

  /** Writes the case as an Arrow file, and compares that with `json`. */
  async function validate(json: string, env: Record<string, string> = {}, base: string = text): Promise<Said> {
    writeFileSync(path('base.json'), base);
    writeFileSync(path('case.json'), json);
    const made = await integration({
      COMMAND: 'JSON_TO_ARROW',
      JSON_PATH: path('base.json'),
      ARROW_PATH: path('case.arrow'),
    });
    assert.equal(made.code, 0, made.err);
    return integration({
      COMMAND: 'VALIDATE',
      JSON_PATH: path('case.json'),
      ARROW_PATH: path('case.arrow'),
      ...env,
    });
  }

  test('finds a file equal that was made from the JSON, also by way of a stream', async () => {
    assert.deepEqual(await validate(text), { code: 0, out: '', bytes: new Uint8Array(0), err: '' });
    const stream = await integration({ COMMAND: 'FILE_TO_STREAM', ARROW_PATH: path('case.arrow') });
    assert.equal(stream.code, 0, stream.err);
    assert.notEqual(Buffer.from(stream.bytes.subarray(0, 6)).toString(), 'ARROW1');
    const back = await integration({ COMMAND: 'STREAM_TO_FILE', ARROW_PATH: path('back.arrow') }, stream.bytes);
    assert.equal(back.code, 0, back.err);
    assert.equal(readFileSync(path('back.arrow')).subarray(0, 6).toString(), 'ARROW1');
    const again = await integration({
      COMMAND: 'VALIDATE',
      JSON_PATH: path('case.json'),
      ARROW_PATH: path('back.arrow'),
    });
    assert.equal(again.code, 0, again.err);
  });

  test('writes 64-bit numbers with all of their digits', async () => {
    await validate(text);
    const table = tableFromIPC(readFileSync(path('case.arrow')));
    const column = (name: string): unknown[] => table.column(name).chunks.flatMap((chunk) => [...chunk]);
    assert.deepEqual(column('u64'), [18446744073709551615n, 0n, 9007199254740993n]);
    assert.deepEqual(column('d'), ['-999999999999999999999999999999999999.99', '0.12', '0.00']);
    assert.deepEqual(column('n'), [
      { months: 1, days: -2, nanoseconds: 9223372036854775807n },
      { months: 0, days: 0, nanoseconds: 0n },
      { months: 0, days: 0, nanoseconds: -9007199254740993n },
    ]);
  });

  /** What is changed in the JSON, as a piece of its text; and what is said of it. */
  const differences: ReadonlyArray<readonly [change: string, to: string, said: RegExp]> = [
    ['"DATA":[3]', '"DATA":[4]', /batch 1, column "i", row 0: 3 instead of 4/],
    ['"VALIDITY":[1,0],"DATA":[1,7]', '"VALIDITY":[1,1],"DATA":[1,7]', /batch 0, column "i", row 1: null instead of/],
    ['9007199254740993"]', '9007199254740992"]', /column "u64", row 0: 9007199254740993 instead of 9007199254740992/],
    ['1.5,0.123', '1.501,0.123', /batch 0, column "f", row 0: 1.5 instead of 1.501/],
    ['0.12345', '0.12346', /batch 1, column "f", row 0: 0.12345 instead of 0.12346/],
    ['"b€"', '"b£x"', /batch 0, column "s", row 1: bytes 0x62e282ac instead of 0x62c2a378/],
    ['"ABCD"', '"ABCE"', /batch 0, column "x", row 1: 0xabcd instead of 0xabce/],
    ['"-99999999999999999999999999999999999999"', '"-99999999999999999999999999999999999998"', /column "d", row 0: -9/],
    ['"DATA":[1,0]},', '"DATA":[1,1]},', /batch 0, column "b", row 1: false instead of true/],
    ['9223372036854775807', '9223372036854775806', /batch 0, column "n", row 0: 0x/],
    ['"DATA":[1,2,3]', '"DATA":[1,2,4]', /batch 0, column "l"."item", row 1: 3 instead of 4/],
    ['"OFFSET":[0,1,3],"children"', '"OFFSET":[0,2,3],"children"', /"l", row 0: a list of 1 values instead of 2/],
    ['"DATA":["q",""]', '"DATA":["p",""]', /batch 0, column "r"."b", row 0: bytes 0x71 instead of 0x70/],
    ['"TYPE_ID":[9,5]', '"TYPE_ID":[5,5]', /batch 0, column "m", row 0: type id 9 instead of 5/],
    ['"DATA":["u"]', '"DATA":["v"]', /batch 0, column "m"."s", row 0: bytes 0x75 instead of 0x76/],
    ['"DATA":["x","yy"]', '"DATA":["x","yz"]', /column "c", row 0: at place 1 of the dictionary bytes 0x7979/],
    ['{"key":"k","value":"v"}', '{"key":"k","value":"w"}', /field "i" has the metadata \[\["k","v"\]\] instead/],
    ['"precision":38', '"precision":37', /field "d" is decimal128\(38, 2\) instead of decimal128\(37, 2\)/],
    ['"isOrdered":false', '"isOrdered":true', /field "c" is dictionary/],
    ['{"name":"item","type"', '{"name":"thing","type"', /field "l"."thing" is named "item"/],
    ['"nullable":true,"children":[],"name":"u64"', '"nullable":false,"children":[],"name":"u64"', /"u64" is nullable/],
    [`,{"count":1,"columns"`, `],"ignored":[{"count":1,"columns"`, /2 batches instead of 1/],
  ];

  for (const [change, to, said] of differences) {
    test(`tells where ${to} is not what the file has`, async () => {
      const changed = text.replace(change, to);
      assert.notEqual(changed, text, `${change} is not in the case`);
      const { code, err } = await validate(changed);
      assert.equal(code, 1);
      assert.match(err, said);
    });
  }

  test('takes no notice of what lies under a null, or which id a dictionary has', async () => {
    const changed = text
      .replace('"DATA":[1,7]', '"DATA":[1,8]')
      .replace('"DATA":[9]', '"DATA":[8]')
      .replaceAll('"id":3', '"id":4');
    assert.notEqual(changed, text);
    assert.deepEqual((await validate(changed)).err, '');
  });

  test('takes a float that rounds to the three decimals of the JSON as equal', async () => {
    const base = text.replace('1.5,0.123', '1.5004,0.123');
    assert.equal((await validate(text, {}, base)).code, 0);
    assert.equal((await validate(text, {}, text.replace('1.5,0.123', '1.5006,0.123'))).code, 1);
  });

  const breaches: ReadonlyArray<readonly [quirk: string, type: object, data: readonly unknown[], said: RegExp]> = [
    [
      'no_decimal_validate',
      { name: 'decimal', precision: 2, scale: 0, bitWidth: 128 },
      ['99', '-100'],
      /row 1, .*-100 has more digits than the precision 2/,
    ],
    ['no_date64_validate', { name: 'date', unit: 'MILLISECOND' }, ['86400000', '1'], /value 1: 1 ms are no whole days/],
    ['no_times_validate', { name: 'time', unit: 'SECOND', bitWidth: 32 }, [0, 86400], /86400 s are no time of day/],
  ];

  for (const [quirk, type, data, said] of breaches) {
    test(`lets values be out of range only with QUIRK_${quirk}=1`, async () => {
      const json = integrationFile([
        { field: { name: 'v', type }, batches: [{ count: 2, VALIDITY: [1, 1], DATA: data }] },
      ]);
      const strict = await validate(json, {}, json);
      assert.equal(strict.code, 1);
      assert.match(strict.err, said);
      assert.deepEqual((await validate(json, { [`QUIRK_${quirk}`]: '1' }, json)).err, '');
    });
  }

  test('names the command, path or part of the JSON that is missing', async () => {
    assert.equal((await integration({ COMMAND: 'GUESS' })).code, 2);
    const { code, err } = await integration({ COMMAND: 'VALIDATE' });
    assert.equal(code, 2);
    assert.match(err, /JSON_PATH is not set/);
    writeFileSync(path('wrong.json'), '{"a": 1}');
    const wrong = { COMMAND: 'JSON_TO_ARROW', JSON_PATH: path('wrong.json'), ARROW_PATH: path('wrong.arrow') };
    assert.match((await integration(wrong)).err, /no integration file/);
    writeFileSync(path('wrong.json'), text.replace('"DATA":[3]', '"DATA":[3,4]'));
    assert.match((await integration(wrong)).err, /column "i" of the JSON file has 2 of DATA, but needs 1/);
    assert.throws(() => readFileSync(path('wrong.arrow')), /ENOENT/);
  });
});
