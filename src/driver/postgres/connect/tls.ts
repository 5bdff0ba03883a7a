import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import type * as tls from 'node:tls';
import { RecurveError } from '../../../error.ts';
import { readSystemRoots } from './system-root.ts';
import type { TlsFile, TlsSettings } from './tls-settings.ts';

/** ALPN's name of PostgreSQL's protocol; a server that is spoken to directly must choose it. */
const alpn = 'postgresql';

/** What Node's TLS is told for a connection to `host`, the name that is to be verified; files are read. */
export async function readTlsOptions(settings: TlsSettings, host: string): Promise<tls.ConnectionOptions> {
  const { mode } = settings;
  const verifiesName = mode === 'verify-full';
  const roots = await readRoots(settings);
  if (roots === undefined && mode.startsWith('verify')) {
    const { rootCertificate } = settings;
    const path = rootCertificate === 'system' ? 'the system' : rootCertificate.path;
    throw tlsError(
      `sslmode=${mode} needs the certificates of authorities, and there are none in ${path}`,
      'name a file in sslrootcert, or sslrootcert=system',
    );
  }
  if (verifiesName && host === '') {
    throw tlsError('sslmode=verify-full needs the name of the host, and only its address is given', 'give a host too');
  }
  const revocations = await readIfThere(settings.revocations);
  if (revocations === undefined && !settings.revocations.isDefault) {
    throw tlsError(`there is no list of revoked certificates ${settings.revocations.path}`, 'sslcrl names it');
  }
  return {
    ...(roots === undefined ? {} : { ca: roots }),
    // With roots at hand libpq verifies in every mode: `require` is then `verify-ca`.
    rejectUnauthorized: roots !== undefined,
    checkServerIdentity: (_, peer) => (verifiesName ? checkName(host, peer.raw) : undefined),
    servername: settings.sendsServerName && isIP(host) === 0 ? host : '',
    ALPNProtocols: [alpn],
    minVersion: settings.leastVersion,
    ...(settings.mostVersion === undefined ? {} : { maxVersion: settings.mostVersion }),
    ...(revocations === undefined || roots === undefined ? {} : { crl: revocations }),
    ...(await readClientCertificate(settings)),
  };
}

/** What TLS said against the connection; for `socket.authorized` has been looked at by Node already. */
export function checkTlsSession(socket: tls.TLSSocket, settings: TlsSettings): void {
  if (settings.direct && socket.alpnProtocol !== alpn) {
    throw tlsError('the server speaks TLS, but did not choose PostgreSQL in it (ALPN)', 'is it a PostgreSQL server?');
  }
}

/** The server's certificate, DER. */
export function readPeerCertificate(socket: tls.TLSSocket): Uint8Array | undefined {
  return socket.getPeerX509Certificate()?.raw;
}

/** Names what Node's or OpenSSL's error means here. */
export function toTlsError(error: unknown): RecurveError {
  if (RecurveError.is(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const message = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
  return tlsError(`TLS failed: ${message}`, hintByCode.get(code), error);
}

const unknownAuthority = 'the file of sslrootcert must have the authority that signed the certificate of the server';
const hintByCode: ReadonlyMap<string, string> = new Map([
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
  ['CERT_HAS_EXPIRED', 'the certificate of the server must be renewed'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'ssl_min_protocol_version and ssl_max_protocol_version say which versions are used'],
]);

async function readRoots({ rootCertificate }: TlsSettings): Promise<string | string[] | undefined> {
  if (rootCertificate === 'system') return readSystemRoots();
  return readIfThere(rootCertificate);
}

/** Undefined where there is none. */
async function readIfThere(file: TlsFile): Promise<string | undefined> {
  try {
    return await readFile(file.path, 'utf8');
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw tlsError(`cannot read ${file.path} (${codeOf(cause)})`, undefined, cause);
  }
}

async function readClientCertificate(settings: TlsSettings): Promise<tls.SecureContextOptions> {
  const { certificate, key, requiresCertificate } = settings;
  if (certificate === undefined) return {};
  const cert = await readIfThere(certificate);
  if (cert === undefined) {
    if (!requiresCertificate && certificate.isDefault) return {};
    throw tlsError(`there is no client certificate ${certificate.path}`, 'sslcert names it');
  }
  await checkKeyMode(key.path, certificate.path);
  const passphrase = settings.keyPassword;
  const text = await readFile(key.path);
  const isPem = text.includes('-----BEGIN');
  return {
    cert,
    key: isPem ? text : toPem(text),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}

/** As libpq: nobody else may use the key; root's may be readable by a group. */
async function checkKeyMode(path: string, certificatePath: string): Promise<void> {
  const status = await stat(path).catch((cause: unknown) => {
    throw tlsError(
      `there is the client certificate ${certificatePath}, but not its key ${path}`,
      'sslkey names it',
      cause,
    );
  });
  if (!status.isFile()) throw tlsError(`the key ${path} is no plain file`);
  const forbidden = status.uid === 0 ? 0o037 : 0o077;
  if (process.platform === 'win32' || (status.mode & forbidden) === 0) return;
  const mode = (status.mode & 0o777).toString(8).padStart(4, '0');
  throw tlsError(
    `others may use the key ${path} (mode ${mode})`,
    `chmod 0600 it${status.uid === 0 ? ', or 0640' : ''}`,
  );
}

/** A key in DER, as libpq takes it too. */
function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

/** RFC 6125 as libpq has it: `*` stands for one whole label, the subject's name counts where there are no other names. */
function checkName(host: string, certificate: Uint8Array): Error | undefined {
  const known = new X509Certificate(certificate);
  if (isIP(host) !== 0 && known.checkIP(host) !== undefined) return undefined;
  if (known.checkHost(host, { partialWildcards: false, subject: 'default' }) !== undefined) return undefined;
  const names = known.subjectAltName ?? known.subject.replaceAll('\n', ', ');
  return tlsError(
    `the certificate of the server is for ${names}, not for ${host}`,
    'connect by a name that the certificate has, or use sslmode=verify-ca',
  );
}

function isMissing(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function tlsError(message: string, hint?: string, cause?: unknown): RecurveError {
  return new RecurveError('IO', message, { hint, exitCode: 3, cause });
}
