/**
 * Starts a server, prints its process and folders as a line of JSON, and ends by the way that its argument names:
 * `return`, `exit`, `throw`, or `wait` for whatever comes.
 */
import { testServer } from './server.ts';

const server = await testServer();
const { postmaster } = server;
const database = await server.createDatabase();
await database.query('CREATE TABLE t AS SELECT generate_series(1, 1000) AS i');
const line = {
  processId: postmaster?.processId,
  folders: [postmaster?.folder, postmaster?.socketFolder],
  collation: (await database.query('SHOW lc_messages'))[0],
};
process.stdout.write(`${JSON.stringify(line)}\n`, () => {
  if (process.argv[2] === 'exit') process.exit(3);
  if (process.argv[2] === 'throw') throw new Error('on purpose');
  if (process.argv[2] === 'wait') setInterval(() => {}, 1000);
});
