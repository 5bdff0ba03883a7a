/**
 * Decodes 20,000 generated values of every type, the ends of its range among them, and compares each with the server's own
 * text; then changes bytes of some in 2,000 ways, of which each ends in an error or in valid Arrow. Takes two minutes; no part
 * of `npm test`, which does less of it.
 *
 *     node --conditions=recurve-source --import tsx test/soak/postgres-decode.ts [RESULT.json]
 *
 * On the PostgreSQL that comes with the tests, or that of RECURVE_TEST_POSTGRES. The result file (default
 * `postgres-decode.json`) holds the commit, the server, and how many values of each type were compared; the exit code is 1 when
 * one differed.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import pg from 'pg';
import { compareCase, corruptCase, ownTypes, textSettings } from '../driver/postgres/decode/differential.ts';
import { setUpTypes, typeCases } from '../driver/postgres/decode/type-case.ts';
import { testServer } from '../driver/postgres/server.ts';

const count = 20_000;
const changes = 2000;
const [resultPath = 'postgres-decode.json'] = process.argv.slice(2);
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const commit = `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--', 'src') === '' ? '' : ' (changed)'}`;

const server = await testServer();
const database = await server.createDatabase();
const client = new pg.Client({ connectionString: database.uri });
await client.connect();
const compared: Record<string, number> = {};
const faults: string[] = [];
try {
  for (const sql of setUpTypes) await client.query(sql);
  await client.query(textSettings);
  const types = await ownTypes(client);
  for (const typeCase of typeCases) {
    const { type } = typeCase;
    try {
      compared[type] = await compareCase(client, typeCase, count, types);
      await corruptCase(client, typeCase, changes, types);
    } catch (error) {
      faults.push(`${type}: ${error instanceof Error ? error.message : String(error)}`);
    }
    console.log(`${type}: ${compared[type] ?? 'FAILED'}`);
  }
} finally {
  await client.end();
  await database.close();
  await server.postmaster?.stop();
}
const record = { commit, node: process.version, server: server.version, count, changes, compared, faults };
writeFileSync(resultPath, `${JSON.stringify(record, null, 2)}\n`);
for (const fault of faults) console.error(`error: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
