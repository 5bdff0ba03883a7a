import { readFile } from 'node:fs/promises';
import * as tls from 'node:tls';

/** Where systems keep the certificates of the authorities that they trust, in one file. */
const files = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/**
 * The authorities that the system trusts: of the file that SSL_CERT_FILE names, as OpenSSL has it; as Node knows them (from 22.15 on);
 * of the system's file; else those that come with Node.
 */
export async function readSystemRoots(): Promise<string | string[]> {
  const named = process.env.SSL_CERT_FILE;
  if (named) return readFile(named, 'utf8');
  const known = systemCertificates();
  if (known.length > 0) return known;
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  return [...tls.rootCertificates];
}

function systemCertificates(): string[] {
  const read: unknown = Reflect.get(tls, 'getCACertificates');
  const list: unknown = typeof read === 'function' ? read('system') : [];
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
