import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { setUpTypes, typeCases } from '../decode/type-case.ts';
import { withoutPostgres } from '../server.ts';
import { connect, connectTo } from './fixture.ts';
import { isWritten, roundTrip } from './round-trip.ts';

/** Values of each type. `test/soak/postgres-ingest.ts` compares 10,000 and more. */
const count = 300;

it('what is read of every type is written as the same', { skip: withoutPostgres }, async (t) => {
  const { connection: reader, database } = await connect(t);
  const writer = await connectTo(t, database);
  for (const sql of setUpTypes) await database.query(sql);
  for (const typeCase of typeCases.filter(isWritten)) {
    await t.test(typeCase.type, async (t) => {
      try {
        assert.ok((await roundTrip(database, reader, writer, typeCase, count)) > count);
      } catch (error) {
        // This server was built without libxml.
        if (!(error instanceof pg.DatabaseError && error.code === '0A000')) throw error;
        t.skip(error.message);
      }
    });
  }
});
