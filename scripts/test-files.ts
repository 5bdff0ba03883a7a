/**
 * Runs the test files named as arguments in this process; `scripts/test.ts` starts it.
 *
 * All files share node:test's root, so hooks (`before`, `afterEach`, …) belong into a `describe`, never at a file's top level.
 */
import { relative } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';

let stray = 0;
// node:test only notes what fails after its test has ended, and lets the process succeed.
for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
  process.on(event, (error: unknown) => {
    stray++;
    console.error(`${event} during the tests:`, error);
  });
}
process.on('exit', () => {
  if (stray > 0) process.exitCode = 1;
});

for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    test(`${relative(process.cwd(), file)} can be imported`, () => {
      throw error;
    });
  }
}
