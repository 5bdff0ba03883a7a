import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import fc from 'fast-check';
import { redactUri } from 'recurve/adbc';
import { redactText } from '../../src/adbc/redact.ts';

describe('a URI in a message', () => {
  test('hides the password of its user part', () => {
    assert.equal(redactUri('postgresql://me:hunter2@host:5432/db'), 'postgresql://me:***@host:5432/db');
    assert.equal(redactUri('postgresql://:hunter2@host/db'), 'postgresql://:***@host/db');
    assert.equal(redactUri('postgresql://me:p@ss/w?rd#1@host/db'), 'postgresql://me:***@host/db');
    assert.equal(redactUri('postgresql://me:two\nlines@host/db'), 'postgresql://me:***@host/db');
  });

  test('hides parameters with telling names', () => {
    assert.equal(redactUri('athena://eu/db?secretKey=abc&region=x'), 'athena://eu/db?secretKey=***&region=x');
    assert.equal(redactUri('duckdb:?motherduck_token=abc'), 'duckdb:?motherduck_token=***');
    assert.equal(redactUri('x://h?a=1;ENCRYPTION_KEY=abc#token=def'), 'x://h?a=1;ENCRYPTION_KEY=***#token=***');
    assert.equal(redactUri('x://h?pass%77ord=abc'), 'x://h?pass%77ord=***');
    assert.equal(redactUri("host=h password='a b' user=me"), 'host=h password=*** user=me');
  });

  test("hides them in PostgreSQL's connection strings", () => {
    for (const [text, shown] of [
      ['postgresql://u:HUSH@h1:1,h2:2/db', 'postgresql://u:***@h1:1,h2:2/db'],
      [
        'postgresql://h/db?password=a;HUSH#HUSH b&sslpassword=HUSH&port=1',
        'postgresql://h/db?password=***&sslpassword=***&port=1',
      ],
      ["host=h password = 'it\\'s HUSH' port=1", 'host=h password = *** port=1'],
      ['password=a\\ HUSH port = 1', 'password=*** port = 1'],
      ["port=1 password='HUSH HUSH", 'port=1 password=***'],
      ['sslpassword =HUSH user=me', 'sslpassword =*** user=me'],
    ] as const) {
      assert.equal(redactUri(text), shown);
    }
  });

  test('hides them in text around it, and leaves the rest', () => {
    const texts: [text: string, shown: string][] = [
      ['open https:/u:HUSH@h/x.db: failed', 'open https:/u:***@h/x.db: failed'],
      ["no driver for postgresql://u:se'HUSH@h/db", 'no driver for postgresql://u:***@h/db'],
      ['see athena://x?password=HUSH&region=eu', 'see athena://x?password=***&region=eu'],
      ['setting s3_secret_access_key = HUSH: no', 'setting s3_secret_access_key = *** no'],
      ['got "x://h/?auth=HUSH" and ?password:HUSH', 'got "x://h/?auth=***" and ?password:***'],
      ['Authorization: Bearer HUSH', 'Authorization: ***'],
      ['at duckdb:///a/b.db, 12:30: $password::int', 'at duckdb:///a/b.db, 12:30: $password::int'],
    ];
    for (const [text, shown] of texts) assert.equal(redactText(text), shown);
  });

  test('leaves what is no secret', () => {
    for (const uri of [
      'duckdb:',
      'duckdb:///tmp/a b@c:d.db?threads=4',
      'postgresql://me@host:5432/db?sslmode=require',
      ':memory:',
      '',
    ]) {
      assert.equal(redactUri(uri), uri);
    }
  });

  test('never shows a password, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 4 }), (password) => {
        const secret = `<${password}>`;
        assert.ok(!redactUri(`postgresql://me:${secret}@host/db?x=1`).includes(secret));
        const encoded = encodeURIComponent(secret);
        assert.ok(!redactUri(`athena://db?a=1&password=${encoded}&b=2`).includes(encoded));
      }),
    );
  });
});
