import { cpSync, existsSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runTool } from './tool.ts';

const root: string = fileURLToPath(new URL('..', import.meta.url));

/** Copies the checkout without what git ignores to `into` (an existing folder), and links its `node_modules`. */
export function copyCheckout(into: string): void {
  for (const name of readdirSync(root)) {
    if (['.git', 'node_modules', 'dist', 'coverage', '.cache'].includes(name)) continue;
    cpSync(join(root, name), join(into, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(into, 'node_modules'));
}

/** Runs `npm pack` in a copy of the checkout under `into`, so that it builds as from a fresh clone, and returns the tarball's path. */
export async function packCheckout(into: string): Promise<string> {
  copyCheckout(into);
  const { code, output } = await runTool('npm', ['pack', '--loglevel=error'], into);
  // npm may say more on its output, such as that there is a newer npm.
  const tarball = join(into, /^\S+\.tgz$/m.exec(output)?.[0] ?? '');
  if (code !== 0 || !tarball.endsWith('.tgz') || !existsSync(tarball)) throw new Error(`npm pack failed:\n${output}`);
  return tarball;
}
