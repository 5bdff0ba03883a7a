import { readFileSync } from 'node:fs';
import { adbcVersion, InfoCode, type InfoValue } from '../../../adbc/info.ts';
import type { PostgresSession } from '../session.ts';

/** What this driver and the server say of themselves. */
export function readInfo(session: PostgresSession): ReadonlyMap<number, InfoValue> {
  const version = `v${readVersion()}`;
  return new Map<number, InfoValue>([
    [InfoCode.VendorName, 'PostgreSQL'],
    [InfoCode.VendorVersion, String(session.serverVersion)],
    [InfoCode.VendorSql, true],
    [InfoCode.VendorSubstrait, false],
    [InfoCode.DriverName, 'recurve PostgreSQL driver'],
    [InfoCode.DriverVersion, version],
    // The Arrow implementation is this package's own.
    [InfoCode.DriverArrowVersion, version],
    [InfoCode.DriverAdbcVersion, adbcVersion],
  ]);
}

function readVersion(): string {
  const text = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
