import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { RecurveError } from '../../../error.ts';
import type { ServerAddress } from '../wire/channel.ts';
import type { HostSetting } from './host-list.ts';

/** One address to try. */
export interface Endpoint {
  readonly address: ServerAddress;
  /** The host as it is given: what a certificate is verified for; empty for an address without a name. */
  readonly host: string;
  readonly port: number;
  /** What the password file calls it. */
  readonly passwordHost: string;
  /** For messages: `db1:5432`, `db1 (10.0.0.1):5432` or the path of the socket. */
  readonly label: string;
}

/** Where servers put their sockets: Debian's folder, then PostgreSQL's own. */
const socketFolders = ['/var/run/postgresql', '/tmp'];

/** The addresses of a host. Throws IO when its name is not known. */
export async function findEndpoints(
  { host, hostAddress, port }: HostSetting,
  { socketExists = existsSync }: { readonly socketExists?: (path: string) => boolean } = {},
): Promise<Endpoint[]> {
  if (hostAddress !== '') {
    if (isIP(hostAddress) === 0) {
      throw new RecurveError('IO', `hostaddr ${JSON.stringify(hostAddress)} is no network address`, { exitCode: 3 });
    }
    return [toEndpoint(host, hostAddress, port)];
  }
  if (host === '') {
    const folder = socketFolders.find((each) => socketExists(socketPath(each, port)));
    if (folder !== undefined) return [{ ...toSocket(folder, port), passwordHost: 'localhost' }];
    return lookUp('localhost', port);
  }
  if (isSocketFolder(host)) return [toSocket(host, port)];
  return lookUp(host, port);
}

/** A folder, or a name in Linux's abstract namespace; on Windows a path with a drive too. */
function isSocketFolder(host: string): boolean {
  return host.startsWith('/') || host.startsWith('@') || /^[A-Za-z]:[\\/]/.test(host);
}

function toSocket(folder: string, port: number): Endpoint {
  const path = socketPath(folder, port);
  return {
    address: { path: path.replace(/^@/, '\0') },
    host: folder,
    port,
    passwordHost: socketFolders.includes(folder) ? 'localhost' : folder,
    label: path,
  };
}

function socketPath(folder: string, port: number): string {
  return `${folder}/.s.PGSQL.${port}`;
}

async function lookUp(host: string, port: number): Promise<Endpoint[]> {
  if (isIP(host) !== 0) return [toEndpoint(host, host, port)];
  try {
    const addresses = await lookup(host, { all: true, verbatim: true });
    return addresses.map(({ address }) => toEndpoint(host, address, port));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new RecurveError('IO', `there is no address of ${JSON.stringify(host)} (${code})`, {
      hint: 'check the spelling of the host, and the network',
      exitCode: 3,
      cause,
    });
  }
}

function toEndpoint(host: string, address: string, port: number): Endpoint {
  const name = host === '' || host === address ? bracket(address) : `${host} (${address})`;
  return {
    address: { host: address, port },
    host,
    port,
    passwordHost: host === '' ? address : host,
    label: `${name}:${port}`,
  };
}

function bracket(address: string): string {
  return isIP(address) === 6 ? `[${address}]` : address;
}
