/**
 * Reads 20,000 generated values of every type, the ends of its range among them, and writes them by ingest, both into a table
 * that is made and into one that is there; the server compares their texts with those of the source. Takes a minute; no part of
 * `npm test`, which compares 300 of each.
 *
 *     node --conditions=recurve-source --import tsx test/soak/postgres-ingest.ts [RESULT.json]
 *
 * On the PostgreSQL that comes with the tests, or that of RECURVE_TEST_POSTGRES. The result file (default
 * `postgres-ingest.json`) holds the commit, the server, and how many values of each type were compared; the exit code is 1 when
 * one differed.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { open } from 'recurve';
import { setUpTypes, typeCases } from '../driver/postgres/decode/type-case.ts';
import { isWritten, roundTrip } from '../driver/postgres/ingest/round-trip.ts';
import { testServer } from '../driver/postgres/server.ts';

const count = 20_000;
const [resultPath = 'postgres-ingest.json'] = process.argv.slice(2);
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const commit = `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--', 'src') === '' ? '' : ' (changed)'}`;

const server = await testServer();
const database = await server.createDatabase();
const opened = await open(database.uri);
const compared: Record<string, number> = {};
const faults: string[] = [];
try {
  const [reader, writer] = [await opened.connect(), await opened.connect()];
  for (const sql of setUpTypes) await database.query(sql);
  for (const typeCase of typeCases.filter(isWritten)) {
    const { type } = typeCase;
    try {
      compared[type] = await roundTrip(database, reader, writer, typeCase, count);
    } catch (error) {
      faults.push(`${type}: ${error instanceof Error ? error.message : String(error)}`);
    }
    console.log(`${type}: ${compared[type] ?? 'FAILED'}`);
  }
} finally {
  await opened.close();
  await database.close();
  await server.postmaster?.stop();
}
const record = { commit, node: process.version, server: server.version, count, compared, faults };
writeFileSync(resultPath, `${JSON.stringify(record, null, 2)}\n`);
for (const fault of faults) console.error(`error: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
