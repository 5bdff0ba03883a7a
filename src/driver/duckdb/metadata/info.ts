import { readFileSync } from 'node:fs';
import { adbcVersion, InfoCode, type InfoValue } from '../../../adbc/info.ts';
import type { Binding } from '../binding.ts';

/** What this driver and its DuckDB say of themselves. */
export function readInfo(binding: Binding): ReadonlyMap<number, InfoValue> {
  const version = `v${readVersion()}`;
  return new Map<number, InfoValue>([
    [InfoCode.VendorName, 'DuckDB'],
    [InfoCode.VendorVersion, binding.library_version()],
    [InfoCode.VendorSql, true],
    [InfoCode.VendorSubstrait, false],
    [InfoCode.DriverName, 'recurve DuckDB driver'],
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
