import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const path = process.env.RECURVE_CHROMIUM ?? '/usr/bin/chromium';

/** Why tests cannot run in Chromium, for `skip`; false when they can. */
export const withoutChromium: string | false =
  !existsSync(path) && `no Chromium at ${path} (RECURVE_CHROMIUM names another)`;

/** Chromium without a window, with an empty profile of its own, that reaches this machine alone. */
export function launchChromium(): Promise<Browser> {
  const off = ['gpu', 'quic', 'background-networking', 'component-update', 'sync'].map((name) => `--disable-${name}`);
  const args = ['--no-sandbox', '--no-first-run', ...off, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  return chromium.launch({ executablePath: path, headless: true, args });
}
