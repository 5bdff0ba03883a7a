import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type PasswordKey, readPassword } from '../../../../src/driver/postgres/connect/password-file.ts';

// The manual, 32.16, "The Password File".

const key: PasswordKey = { host: 'db.example', port: 5432, database: 'sales', user: 'anna' };

describe('the password file', () => {
  for (const [what, text, expected] of [
    ['gives what stands in the line', 'db.example:5432:sales:anna:secret\n', 'secret'],
    ['needs no end of line', 'db.example:5432:sales:anna:secret', 'secret'],
    ['takes ends of line of Windows', 'db.example:5432:sales:anna:secret\r\n', 'secret'],
    ['takes * for anything', '*:*:*:*:secret\n', 'secret'],
    ['takes * only alone', 'db.*:5432:sales:anna:secret\n', undefined],
    ['takes the first line that fits', '*:*:other:*:no\n*:*:sales:*:first\n*:*:*:*:second\n', 'first'],
    [
      'compares each field',
      'db.example:5433:sales:anna:a\ndb:5432:sales:anna:b\ndb.example:5432:sales:ann:c\n',
      undefined,
    ],
    ['passes over comments', '#db.example:5432:sales:anna:no\n# *:*:*:*:no\n', undefined],
    ['passes over lines with too few fields', 'db.example:5432:sales:secret\n*:*:*:*:yes\n', 'yes'],
    ['takes colons in the password', '*:*:*:*:a:b:c\n', 'a:b:c'],
    ['takes a backslash for what follows it in the password', '*:*:*:*:a\\:b\\\\c\n', 'a:b\\c'],
    ['takes spaces as they are', '*:*:*:*: secret \n', ' secret '],
    ['takes an empty password', '*:*:*:*:\n', ''],
    ['has none where it is empty', '', undefined],
  ] as const) {
    test(what, () => assert.equal(readPassword(text, key), expected));
  }

  test('has colons and backslashes in fields behind a backslash', () => {
    const text = String.raw`\:\:1:5432:a\\b:c\:d:secret`.concat('\n');
    assert.equal(readPassword(text, { host: '::1', port: 5432, database: 'a\\b', user: 'c:d' }), 'secret');
    assert.equal(
      readPassword('::1:5432:x:y:secret\n', { host: '::1', port: 5432, database: 'x', user: 'y' }),
      undefined,
    );
  });

  test('takes a name with a * for itself', () => {
    assert.equal(readPassword(String.raw`\*:*:*:*:star`, { ...key, host: '*' }), 'star');
  });
});
