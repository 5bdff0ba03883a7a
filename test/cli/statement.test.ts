import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { looksLikeUri, readStatement } from '../../src/cli/statement.ts';
import { fakeIo } from './fake-io.ts';

const never = new AbortController().signal;

function read(
  operands: string[],
  options: { stdin?: string; file?: string } = {},
): Promise<{ uri: string; sql: string }> {
  const { stdin } = fakeIo(options.stdin === undefined ? {} : { stdin: options.stdin });
  return readStatement(operands, options.file, stdin, never);
}

describe('the statement', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recurve-statement-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test('alone goes to a DuckDB in memory', async () => {
    assert.deepEqual(await read(['select 1']), { uri: 'duckdb:', sql: 'select 1' });
  });

  test('follows the URI of its source', async () => {
    for (const uri of [
      'duckdb:',
      'duckdb:///tmp/x.db',
      'postgresql://h/db',
      'grpc+tls://h:1',
      'profile://x',
      'nosuch:x',
    ]) {
      assert.deepEqual(await read([uri, 'select 1']), { uri, sql: 'select 1' });
    }
  });

  test('follows a URI of a known scheme with a quote or white space in it', async () => {
    for (const uri of ["duckdb:o'neil.db", 'duckdb:sp dir/b.db', "postgresql://u:se'cret@h/db"]) {
      assert.deepEqual(await read([uri, 'select 1']), { uri, sql: 'select 1' });
    }
    assert.equal((await read(["select '--' /* x */"])).sql, "select '--' /* x */");
  });

  test('is not taken for a URI when it has a colon', () => {
    for (const sql of ["select 'a:b'", 'select 1::int', "from'x:y.csv'", 'values(1)', 'select\t:a']) {
      assert.ok(!looksLikeUri(sql), sql);
    }
  });

  test('comes from standard input for a dash, and when there is none and input is piped', async () => {
    assert.deepEqual(await read(['-'], { stdin: 'select 2\n' }), { uri: 'duckdb:', sql: 'select 2\n' });
    assert.deepEqual(await read([], { stdin: 'select 3' }), { uri: 'duckdb:', sql: 'select 3' });
    assert.deepEqual(await read(['duckdb:///x'], { stdin: 'select 4' }), { uri: 'duckdb:///x', sql: 'select 4' });
  });

  test('leaves standard input alone when it is an operand', async () => {
    assert.equal((await read(['select 1'], { stdin: 'select 2' })).sql, 'select 1');
  });

  test('comes from a file, without its byte order mark', async () => {
    assert.equal((await read([], { file: file('q.sql', '\uFEFFselect 5 -- ä') })).sql, 'select 5 -- ä');
    assert.equal((await read(['duckdb:///x'], { file: file('r.sql', 'select 6') })).uri, 'duckdb:///x');
  });

  test('that is missing, empty, doubled or unquoted is a usage error', async () => {
    const refused: [operands: string[], message: RegExp, options?: { stdin?: string; file?: string }][] = [
      [[], /no statement/],
      [['duckdb:'], /no statement/],
      [['  \n'], /the statement is empty/],
      [['-- nothing\n/* at all */ ; --'], /the statement is empty/],
      [[], /the statement is empty/, { stdin: '' }],
      [['select 1'], /given twice/, { file: 'x.sql' }],
      [['select', '1'], /one statement is wanted, and there are 2 operands/],
      [['duckdb:', 'select', '1'], /one statement is wanted/],
      [[], /cannot read the statement from ".*none\.sql": ENOENT/, { file: join(folder, 'none.sql') }],
      [[], /is not UTF-8/, { file: file('latin1.sql', Uint8Array.of(0x73, 0xe4)) }],
    ];
    for (const [operands, message, options] of refused) {
      await assert.rejects(read(operands, options), { exitCode: 2, message }, `${operands} ${message}`);
    }
  });

  test('is no longer waited for when the user interrupts', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const stdin = {
      isTerminal: false,
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<Uint8Array>>(() => {}) }),
    };
    const reading = readStatement(['-'], undefined, stdin, controller.signal);
    controller.abort(reason);
    await assert.rejects(reading, reason);
  });
});
