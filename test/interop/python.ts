import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The interpreter with pyarrow and duckdb; `.ci/run` makes it and says where. */
const python = process.env.RECURVE_PYTHON;

/** Runs a script of this folder and parses what it prints. Throws with its stderr when it fails. */
export async function runPython(script: string, args: readonly string[], input?: unknown): Promise<unknown> {
  if (python === undefined) throw new Error('RECURVE_PYTHON names no interpreter with pyarrow and duckdb');
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(python, [path, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.end(input === undefined ? '' : JSON.stringify(input));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${script} exited with ${code}: ${Buffer.concat(errors)}`);
  return JSON.parse(Buffer.concat(output).toString());
}
