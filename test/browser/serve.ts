import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const html = '<!doctype html><script type="module" src="/page.js"></script>';
const types: Record<string, string> = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** A server of one page, on a port of its own. */
export interface PageServer {
  /** Without a slash at its end. */
  readonly origin: string;
  close(): Promise<void>;
}

/** What docs/codec.md says that a page must allow, and no more: no code is made of text. */
const strict = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self' data:";

/**
 * Serves `/`, a page that runs `page.ts` as a browser gets it from a bundler, `/strict`, the same under a content-security
 * policy, and each folder of `folders` under its name, with ranges.
 */
export async function servePage(folders: Readonly<Record<string, string>>): Promise<PageServer> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: ['recurve-source'],
    logLevel: 'warning',
  });
  const script = outputFiles[0]?.contents ?? new Uint8Array();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    if (path === '/strict') response.setHeader('content-security-policy', strict);
    if (path === '/' || path === '/strict') send(response, 'text/html', html);
    else if (path === '/page.js') send(response, 'text/javascript', script);
    else {
      const [, name = '', ...rest] = path.split('/');
      sendFile(request, response, folders[name] && join(folders[name], normalize(`/${rest.join('/')}`)));
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, type: string, body: string | Uint8Array): void {
  response.writeHead(200, { 'content-type': type }).end(body);
}

function sendFile(request: IncomingMessage, response: ServerResponse, path: string | undefined): void {
  const size = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
  if (path === undefined || size === undefined) {
    response.writeHead(404).end();
    return;
  }
  const headers = { 'content-type': types[extname(path)] ?? 'application/octet-stream', 'accept-ranges': 'bytes' };
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined || to === undefined || size === 0) {
    response.writeHead(200, { ...headers, 'content-length': size });
    createReadStream(path).pipe(response);
    return;
  }
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to));
  response.writeHead(206, {
    ...headers,
    'content-range': `bytes ${start}-${end}/${size}`,
    'content-length': end - start + 1,
  });
  createReadStream(path, { start, end }).pipe(response);
}
