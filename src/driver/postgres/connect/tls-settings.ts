import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import type { SettingReader } from './setting-reader.ts';
import { usageError } from './usage-error.ts';

/**
 * libpq's `sslmode`: whether the connection is encrypted (`disable` never, `allow` if the server insists, `prefer` if the server can,
 * the others always), and whether the server's certificate must come from a trusted authority (`verify-ca`), and be the
 * host's (`verify-full`).
 */
export type SslMode = (typeof sslModes)[number];

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;

/** A file, and whether it was named: the default one need not be there. */
export interface TlsFile {
  readonly path: string;
  readonly isDefault: boolean;
}

/** How TLS is to be used; see the manual, "SSL Support". */
export interface TlsSettings {
  readonly mode: SslMode;
  /** Begins with TLS, without asking first (PostgreSQL 17). */
  readonly direct: boolean;
  /** Authorities that are trusted; `system`: those of the system. */
  readonly rootCertificate: TlsFile | 'system';
  readonly revocations: TlsFile;
  /** The client's own; `undefined`: none is ever sent. */
  readonly certificate: TlsFile | undefined;
  readonly key: TlsFile;
  readonly keyPassword: string | undefined;
  /** Fails where the server does not ask for a certificate. */
  readonly requiresCertificate: boolean;
  /** Sends the host's name, if it has one, in the clear (SNI). */
  readonly sendsServerName: boolean;
  readonly leastVersion: SecureVersion;
  readonly mostVersion: SecureVersion | undefined;
}

/** Reads the settings of TLS. `folder` has the default files, `~/.postgresql`. */
export function readTlsSettings(read: SettingReader, folder: string): TlsSettings {
  const root = read.text('sslrootcert');
  const mode = read.choice('sslmode', sslModes, root === 'system' ? 'verify-full' : 'prefer');
  if (root === 'system' && mode !== 'verify-full') {
    throw usageError(
      `sslmode=${mode} is too weak for sslrootcert=system: anybody can have a certificate of those authorities`,
      'use sslmode=verify-full',
    );
  }
  const direct = read.choice('sslnegotiation', ['postgres', 'direct'], 'postgres') === 'direct';
  if (direct && (mode === 'disable' || mode === 'allow' || mode === 'prefer')) {
    throw usageError(
      `sslmode=${mode} is too weak for sslnegotiation=direct`,
      'use sslmode=require, verify-ca or verify-full',
    );
  }
  const leastVersion = read.choice('ssl_min_protocol_version', versions, 'TLSv1.2');
  const mostVersion = read.optionalChoice('ssl_max_protocol_version', versions);
  if (mostVersion !== undefined && versions.indexOf(mostVersion) < versions.indexOf(leastVersion)) {
    throw usageError(`ssl_max_protocol_version ${mostVersion} is below ssl_min_protocol_version ${leastVersion}`);
  }
  const file = (keyword: string, name: string): TlsFile => {
    const path = read.text(keyword);
    return path === undefined ? { path: join(folder, name), isDefault: true } : { path, isDefault: false };
  };
  const certificateMode = read.choice('sslcertmode', ['disable', 'allow', 'require'], 'allow');
  const key = file('sslkey', 'postgresql.key');
  if (!key.isDefault && /^[a-z][\w-]+:[^/\\]/i.test(key.path)) {
    throw read.notImplemented('sslkey', 'keys of an OpenSSL engine are not supported: give a file in PEM or DER');
  }
  return {
    mode,
    direct,
    rootCertificate: root === 'system' ? 'system' : file('sslrootcert', 'root.crt'),
    revocations: file('sslcrl', 'root.crl'),
    certificate: certificateMode === 'disable' ? undefined : file('sslcert', 'postgresql.crt'),
    key,
    keyPassword: read.text('sslpassword'),
    requiresCertificate: certificateMode === 'require',
    sendsServerName: read.choice('sslsni', ['0', '1'], '1') === '1',
    leastVersion,
    mostVersion,
  };
}
