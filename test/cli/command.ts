import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a shell said of a command line. */
export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

export interface StartOptions {
  /** Text for standard input; null for a pipe into which nothing comes. Default: no input. */
  readonly stdin?: string | null;
  readonly env?: Readonly<Record<string, string>>;
}

/** A folder with `flights.parquet` and a `recurve` on the PATH, in which command lines run. */
export class Workplace {
  readonly folder: string;
  readonly #path: string;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'recurve-cli-'));
    const bin = mkdtempSync(join(tmpdir(), 'recurve-bin-'));
    const script = join(bin, 'recurve');
    const loader = createRequire(import.meta.url).resolve('tsx');
    const flags = `--conditions=recurve-source --import '${loader}'`;
    writeFileSync(script, `#!/bin/sh\nexec '${process.execPath}' ${flags} '${root}src/cli/launch.cts' "$@"\n`);
    chmodSync(script, 0o755);
    this.#path = bin;
    symlinkSync(
      join(createRequire(import.meta.url).resolve('vega-datasets'), '../../data/flights-3m.parquet'),
      join(this.folder, 'flights.parquet'),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
    rmSync(this.#path, { recursive: true });
  }

  /** Starts a line of sh; in a process group of its own, so that a signal can reach all of it. */
  start(line: string, options: StartOptions = {}): ChildProcess {
    const child = spawn('/bin/sh', ['-c', line], {
      cwd: this.folder,
      detached: true,
      env: { ...process.env, NO_COLOR: '1', PATH: `${this.#path}:${process.env.PATH}`, ...options.env },
      stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    if (typeof options.stdin === 'string') child.stdin?.end(options.stdin);
    return child;
  }

  /** Runs a line of sh to its end. */
  run(line: string, options: StartOptions = {}): Promise<Ran> {
    return finish(this.start(line, options));
  }
}

/** Waits for the end of what was started, and gives all that it wrote. */
export async function finish(child: ChildProcess): Promise<Ran> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  child.stdout?.on('data', (chunk: Uint8Array) => out.push(chunk));
  child.stderr?.on('data', (chunk: Uint8Array) => err.push(chunk));
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done, failed) => {
    child.on('error', failed);
    child.on('close', (...end) => done(end));
  });
  return { code, signal, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}
