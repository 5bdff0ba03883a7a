import type { SettingReader } from './setting-reader.ts';
import { usageError } from './usage-error.ts';

/** A host as it is given. */
export interface HostSetting {
  /** A name, an address, or the folder of a Unix socket (it starts with `/` or `@`); empty: the default. */
  readonly host: string;
  /** The address to connect to instead of looking up the name; empty: none. */
  readonly hostAddress: string;
  readonly port: number;
}

const standardPort = 5432;

/** Reads `host`, `hostaddr` and `port`: lists apart by commas, of equal length, but that one port is for all hosts. */
export function readHosts(read: SettingReader): HostSetting[] {
  const hosts = read.text('host')?.split(',');
  const addresses = read.text('hostaddr')?.split(',');
  const ports = read.text('port')?.split(',');
  if (hosts !== undefined && addresses !== undefined && hosts.length !== addresses.length) {
    throw usageError(`there are ${hosts.length} hosts and ${addresses.length} addresses in hostaddr`);
  }
  const count = (addresses ?? hosts)?.length ?? 1;
  if (ports !== undefined && ports.length !== 1 && ports.length !== count) {
    throw usageError(`there are ${count} hosts and ${ports.length} ports`, 'give one port for all, or one for each');
  }
  return Array.from({ length: count }, (_, index) => ({
    host: hosts?.[index]?.trim() ?? '',
    hostAddress: addresses?.[index]?.trim() ?? '',
    port: readPort(ports?.[ports.length === 1 ? 0 : index]),
  }));
}

function readPort(text: string | undefined): number {
  if (text === undefined || text.trim() === '') return standardPort;
  const port = /^\s*\d+\s*$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw usageError(`port is ${JSON.stringify(text)}, but must be a number from 1 to 65535`);
}
