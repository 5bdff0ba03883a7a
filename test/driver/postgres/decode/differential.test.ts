import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { testServer, withoutPostgres } from '../server.ts';
import { compareCase, corruptCase, ownTypes, textSettings } from './differential.ts';
import { setUpTypes, typeCases } from './type-case.ts';

/** Values of each type. `test/soak/postgres-decode.ts` compares 10,000 and more. */
const count = 500;

it('decodes what the server prints, for every type, and nothing else when bytes are changed', {
  skip: withoutPostgres,
}, async (t) => {
  const database = await (await testServer()).createDatabase();
  const client = new pg.Client({ connectionString: database.uri });
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.close();
  });
  for (const sql of setUpTypes) await client.query(sql);
  await client.query(textSettings);
  const types = await ownTypes(client);
  for (const typeCase of typeCases) {
    await t.test(typeCase.type, async (t) => {
      try {
        assert.ok((await compareCase(client, typeCase, count, types)) > count);
        await corruptCase(client, typeCase, 50, types);
      } catch (error) {
        // This server was built without libxml.
        if (!(error instanceof pg.DatabaseError && error.code === '0A000')) throw error;
        t.skip(error.message);
      }
    });
  }
});
