/**
 * npm run check [-- STEP …]
 *
 * Runs every check, or the steps named, one line each; what a failing step printed follows its line. All steps run even
 * when one fails; the exit code is then 1.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packCheckout } from './pack.ts';
import { runTool, type ToolResult } from './tool.ts';

type Command = [name: string, ...args: string[]];

const root = fileURLToPath(new URL('..', import.meta.url));
const MAX_LINES = 80;
const IMPORT_RULES = ['suspicious/noImportCycles', 'style/noRestrictedImports'];
const BIOME = ['--colors=off', '--error-on-warnings', '--reporter=concise', '--max-diagnostics=none'];

const steps: Record<string, () => Promise<ToolResult>> = {
  types: () => all(tsc('tsconfig.arrow.json'), tsc('tsconfig.build.json'), tsc('tsconfig.json')),
  lint: () => all(['biome', 'ci', ...BIOME, ...IMPORT_RULES.map((rule) => `--skip=${rule}`), '.']),
  imports: () => all(['biome', 'lint', ...BIOME, ...IMPORT_RULES.map((rule) => `--only=${rule}`), '.']),
  unused: () => all(['knip', '--no-progress']),
  package: () => inScratch(checkPackage),
  size: () => all(['node', '--import', 'tsx', 'scripts/size.ts']),
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in steps));
if (unknown.length > 0) {
  console.error(`error: no such step: ${unknown.join(', ')} (steps: ${Object.keys(steps).join(', ')})`);
  process.exit(2);
}

const start = performance.now();
const failed: string[] = [];
for (const [name, step] of Object.entries(steps)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const begin = performance.now();
  const { code, output } = await step();
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name.padEnd(8)}${seconds(begin)}`);
  if (code === 0) continue;
  failed.push(name);
  const lines = output.trimEnd().split('\n');
  const more = lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} lines more`] : [];
  console.log([...lines.slice(0, MAX_LINES), ...more].map((line) => `      ${line}`).join('\n'));
}
console.log(`${failed.length === 0 ? 'check passed' : `check FAILED: ${failed.join(', ')}`}${seconds(start)}`);
if (failed.length > 0) process.exitCode = 1;

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`;
}

function tsc(project: string): Command {
  return ['tsc', '--noEmit', '--project', project];
}

/** Runs the commands one after the other up to the first that fails. */
async function all(...commands: Command[]): Promise<ToolResult> {
  let output = '';
  for (const [command, ...args] of commands) {
    const result = await runTool(command, args, root);
    output += result.output;
    if (result.code !== 0) return { code: result.code, output };
  }
  return { code: 0, output };
}

async function inScratch(step: (folder: string) => Promise<ToolResult>): Promise<ToolResult> {
  const folder = mkdtempSync(join(tmpdir(), 'recurve-check-'));
  try {
    return await step(folder);
  } catch (error) {
    return { code: 1, output: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function checkPackage(folder: string): Promise<ToolResult> {
  const tarball = await packCheckout(folder);
  return all(['publint', '--strict', tarball], ['attw', '--profile', 'esm-only', '--no-color', '--no-emoji', tarball]);
}
