import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tableFromArrays, tableToIPC } from 'recurve/arrow';
import { recurve, temporaryFolder } from './run-command.ts';

const at = temporaryFolder();
let databases = 0;
const freshUri = (): string => `duckdb:${at(`${databases++}.db`)}`;

async function rowsOf(uri: string, sql: string): Promise<string> {
  const { out, err, code } = await recurve(['query', uri, sql, '-f', 'jsonl']);
  assert.equal(code, 0, err);
  return out;
}

writeFileSync(at('a.csv'), 'id,name\n1,one\n2,""\n3,\n');
writeFileSync(at('b.jsonl'), '{"id":4,"name":"four"}\n');
writeFileSync(at('c.arrow'), tableToIPC(tableFromArrays({ id: [5n], name: ['five'] }), { format: 'file' }));

describe('ingest', () => {
  test('writes files of several formats to one table, and tells the rows on standard error', async () => {
    const uri = freshUri();
    const { code, out, err } = await recurve(['ingest', uri, 't', at('a.csv'), at('b.jsonl'), at('c.arrow')]);
    assert.deepEqual([code, out], [0, '']);
    assert.match(err, /^ingested 5 rows into t in /);
    assert.equal(
      await rowsOf(uri, 'from t order by id'),
      [
        '{"id":1,"name":"one"}',
        '{"id":2,"name":""}',
        '{"id":3,"name":null}',
        '{"id":4,"name":"four"}',
        '{"id":5,"name":"five"}',
        '',
      ].join('\n'),
    );
  });

  test('does as the mode says with a table that is there', async () => {
    const uri = freshUri();
    const ingest = async (...mode: string[]): Promise<[number, string]> => {
      const { code } = await recurve(['ingest', uri, 't', at('b.jsonl'), ...mode]);
      const there = await rowsOf(uri, "select count(*) as n from duckdb_tables() where table_name = 't'");
      return [code, there === '{"n":0}\n' ? 'no table' : await rowsOf(uri, 'select count(*) as n from t')];
    };
    assert.deepEqual(await ingest('--mode', 'append'), [1, 'no table']);
    assert.deepEqual(await ingest('--mode', 'create-append'), [0, '{"n":1}\n']);
    assert.deepEqual(await ingest(), [1, '{"n":1}\n']);
    assert.deepEqual(await ingest('--mode', 'append'), [0, '{"n":2}\n']);
    assert.deepEqual(await ingest('--mode', 'create-append'), [0, '{"n":3}\n']);
    assert.deepEqual(await ingest('--mode', 'replace'), [0, '{"n":1}\n']);
  });

  test('gives a column that a file lacks its default, and refuses one that is required or unknown', async () => {
    const uri = freshUri();
    const create = "create table t (id bigint not null, name text default 'unknown', note text)";
    await recurve(['query', uri, create]);
    writeFileSync(at('id.csv'), 'id\n7\n');
    writeFileSync(at('note.csv'), 'note,id\nhello,8\n');
    writeFileSync(at('name.csv'), 'name\nnine\n');
    writeFileSync(at('more.csv'), 'id,colour\n9,red\n');
    const append = (...files: string[]) => recurve(['ingest', uri, 't', ...files, '--mode', 'append']);
    assert.equal((await append(at('id.csv'))).code, 0);
    assert.equal((await append(at('note.csv'))).code, 0);
    const there = '{"id":7,"name":"unknown","note":null}\n{"id":8,"name":"unknown","note":"hello"}\n';
    assert.equal(await rowsOf(uri, 'from t order by id'), there);
    const lacking = await append(at('name.csv'));
    assert.equal(lacking.code, 1);
    assert.match(lacking.err, /lacks "id", which is NOT NULL and has no default/);
    const unknown = await append(at('more.csv'));
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /it has no "colour"/);
    assert.equal(await rowsOf(uri, 'from t order by id'), there);
  });

  test('of a file that fails leaves nothing of the files before it, and the table as it was', async () => {
    const uri = freshUri();
    await recurve(['ingest', uri, 't', at('b.jsonl')]);
    const bytes = tableToIPC(tableFromArrays({ id: [6n], name: ['six'] }), { format: 'stream' });
    writeFileSync(at('cut.arrows'), bytes.subarray(0, bytes.length - 60));
    for (const mode of ['append', 'replace']) {
      const { code, err } = await recurve(['ingest', uri, 't', at('a.csv'), at('cut.arrows'), '--mode', mode]);
      assert.equal(code, 1);
      assert.match(err, /^error\[INVALID_DATA\]: .*cut\.arrows/);
      assert.equal(await rowsOf(uri, 'from t'), '{"id":4,"name":"four"}\n');
    }
  });

  test('reads standard input, and writes to the schema that was asked for', async () => {
    const uri = freshUri();
    await rowsOf(uri, 'create schema s');
    const { code, err } = await recurve(['ingest', uri, 't', '-', '--from', 'csv', '--schema', 's'], {
      stdin: 'x\n1\n',
    });
    assert.equal(code, 0, err);
    assert.equal(await rowsOf(uri, 'from s.t'), '{"x":1}\n');
  });

  test('refuses a command line that lacks something with exit code 2, a source that cannot be opened with 3', async () => {
    for (const argv of [[], ['t', at('a.csv')], [freshUri(), 't'], [freshUri(), 't', '-', '-']]) {
      assert.equal((await recurve(['ingest', ...argv])).code, 2, argv.join(' '));
    }
    assert.equal((await recurve(['ingest', `duckdb:${at('none/x.db')}`, 't', at('a.csv')])).code, 3);
  });

  test('closes the source whatever happens: the next one finds the file unlocked', async () => {
    const uri = freshUri();
    await recurve(['ingest', uri, 't', at('none.csv')]);
    assert.equal((await recurve(['ingest', uri, 't', at('a.csv')])).code, 0);
  });
});
