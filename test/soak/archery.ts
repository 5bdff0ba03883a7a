/**
 * Runs Arrow's integration runner (archery) over recurve, Go and C++: the generated cases with recurve as producer and as
 * consumer, then recurve on the official gold files. Takes minutes; no part of `npm test`.
 *
 *     node --conditions=recurve-source --import tsx test/soak/archery.ts [RESULT.json]
 *
 * See `test/interop/archery_matrix.py` for what the environment must name; ARCHERY_PYTHON is the interpreter (default:
 * RECURVE_PYTHON), which needs pyarrow and numpy. For instance:
 *
 *     git clone --depth 1 https://github.com/apache/arrow && export ARROW_ARCHERY=$PWD/arrow/dev/archery
 *     export GOBIN=$PWD/gobin && go install github.com/apache/arrow-go/v18/arrow/ipc/cmd/...@latest
 *     export ARROW_TEST_DATA=…/arrow-testing/data
 *
 * The result file (default `archery.json`) holds the commit and each part that is done. Run again after an interruption, it
 * goes on with the first part that is missing; at another commit it starts anew. Exit code 1 when a check failed.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

interface Part {
  readonly name: string;
  readonly versions: Readonly<Record<string, unknown>>;
  readonly checks: number;
  readonly skips: number;
  readonly failures: readonly string[];
}

interface Results {
  readonly commit: string;
  readonly node: string;
  readonly parts: Part[];
}

const [resultPath = 'archery.json'] = process.argv.slice(2);
const { ARCHERY_PYTHON, RECURVE_PYTHON, ARROW_TEST_DATA } = process.env;
const python = ARCHERY_PYTHON ?? RECURVE_PYTHON;
if (python === undefined || process.env.ARROW_ARCHERY === undefined) {
  throw new Error('ARROW_ARCHERY and ARCHERY_PYTHON name the runner and its interpreter');
}
const root = fileURLToPath(new URL('../..', import.meta.url));
const env = { ...process.env, RECURVE: process.env.RECURVE ?? join(root, 'recurve') };

async function runMatrix(...args: string[]): Promise<unknown> {
  const script = join(root, 'test', 'interop', 'archery_matrix.py');
  const { stdout } = await promisify(execFile)(python as string, [script, ...args], { env, maxBuffer: 1 << 26 });
  return JSON.parse(stdout) as unknown;
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8', cwd: root }).trim();
const commit = `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--', 'src') === '' ? '' : ' (changed)'}`;

function readResults(): Results {
  const empty: Results = { commit, node: process.version, parts: [] };
  if (!existsSync(resultPath)) return empty;
  const record = JSON.parse(readFileSync(resultPath, 'utf8')) as Results;
  return record.commit === commit ? record : empty;
}

async function listParts(): Promise<string[][]> {
  const cases = (await runMatrix('list')) as string[];
  const gold = ARROW_TEST_DATA === undefined ? undefined : join(ARROW_TEST_DATA, 'arrow-ipc-stream', 'integration');
  if (gold === undefined) console.log('the gold files are left out: ARROW_TEST_DATA is not set');
  const folders = gold === undefined ? [] : readdirSync(gold, { withFileTypes: true });
  return [
    ...cases.map((name) => ['case', name]),
    ...folders.filter((entry) => entry.isDirectory()).map(({ name }) => ['gold', join(gold ?? '', name)]),
  ];
}

const record = readResults();
for (const [kind = '', argument = ''] of await listParts()) {
  const name = kind === 'gold' ? `gold ${argument.split('/').at(-1)}` : argument;
  if (record.parts.some((part) => part.name === name)) continue;
  const part: Part = { name, ...((await runMatrix(kind, argument)) as Omit<Part, 'name'>) };
  record.parts.push(part);
  writeFileSync(resultPath, `${JSON.stringify(record, null, 2)}\n`);
  console.log(`${name}: ${part.checks} checks, ${part.skips} left out, ${part.failures.length} failures`);
}
const failures = record.parts.flatMap((part) => part.failures);
const checks = record.parts.reduce((sum, part) => sum + part.checks, 0);
console.log(`${record.parts.length} parts, ${checks} checks, ${failures.length} failures`);
for (const failure of failures) console.log(failure);
if (failures.length > 0 || checks === 0) process.exitCode = 1;
