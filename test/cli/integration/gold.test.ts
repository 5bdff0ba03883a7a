import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { goldSkip, listGoldCases } from '../../arrow/gold-case.ts';
import { recurve, temporaryFolder } from '../run-command.ts';

// One case of each folder of https://github.com/apache/arrow-testing that needs something of its own.
const chosen = [
  '0.14.1/generated_decimal',
  '0.17.1/generated_union',
  '1.0.0-bigendian/generated_nested_dictionary',
  '1.0.0-bigendian/generated_decimal256',
  '2.0.0-compression/generated_lz4',
  '2.0.0-compression/generated_zstd',
  '4.0.0-shareddict/generated_shared_dict',
  'cpp-21.0.0/generated_run_end_encoded',
  'cpp-21.0.0/generated_binary_view',
  'cpp-21.0.0/generated_list_view',
];

describe('recurve integration on an official gold case', { skip: goldSkip }, () => {
  const path = temporaryFolder();
  const cases = listGoldCases();
  for (const name of chosen) {
    test(`${name}: file and stream are what the JSON says`, async () => {
      const gold = cases.find((entry) => entry.name === name);
      assert.ok(gold !== undefined);
      writeFileSync(path('case.json'), gunzipSync(readFileSync(`${gold.path}.json.gz`)));
      const quirks = gold.level === 'full' ? {} : { QUIRK_no_decimal_validate: '1' };
      const compare = (file: string) =>
        recurve(['integration'], {
          env: { COMMAND: 'VALIDATE', JSON_PATH: path('case.json'), ARROW_PATH: file, ...quirks },
        });
      assert.equal((await compare(`${gold.path}.arrow_file`)).err, '');
      const made = await recurve(['integration'], {
        env: { COMMAND: 'STREAM_TO_FILE', ARROW_PATH: path('case.arrow') },
        stdin: readFileSync(`${gold.path}.stream`),
      });
      assert.equal(made.err, '');
      assert.equal((await compare(path('case.arrow'))).err, '');
      const back = await recurve(['integration'], {
        env: { COMMAND: 'FILE_TO_STREAM', ARROW_PATH: `${gold.path}.arrow_file` },
      });
      assert.equal(back.err, '');
      assert.ok(back.bytes.length > 0);
    });
  }
});
