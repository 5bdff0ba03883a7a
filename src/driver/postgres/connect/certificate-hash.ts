import { createHash } from 'node:crypto';

/** Hashes of the signature algorithms of certificates, by OID; RFC 5929, 4.1, has MD5 and SHA-1 replaced. */
const hashes: ReadonlyMap<string, string> = new Map([
  ['1.2.840.113549.1.1.4', 'sha256'],
  ['1.2.840.113549.1.1.5', 'sha256'],
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
  ['1.2.840.113549.1.1.14', 'sha224'],
  ['1.2.840.113549.1.1.15', 'sha512-224'],
  ['1.2.840.113549.1.1.16', 'sha512-256'],
  ['1.2.840.10040.4.3', 'sha256'],
  ['2.16.840.1.101.3.4.3.1', 'sha224'],
  ['2.16.840.1.101.3.4.3.2', 'sha256'],
  ['1.2.840.10045.4.1', 'sha256'],
  ['1.2.840.10045.4.3.1', 'sha224'],
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
  ['2.16.840.1.101.3.4.3.10', 'sha3-256'],
  ['2.16.840.1.101.3.4.3.11', 'sha3-384'],
  ['2.16.840.1.101.3.4.3.12', 'sha3-512'],
]);

/** RSASSA-PSS, whose parameters name the hash; without them it is SHA-1. */
const pss = '1.2.840.113549.1.1.10';
const digests: ReadonlyMap<string, string> = new Map([
  ['1.3.14.3.2.26', 'sha256'],
  ['2.16.840.1.101.3.4.2.4', 'sha224'],
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);

const tag = { sequence: 0x30, oid: 0x06, firstContext: 0xa0 } as const;

/**
 * The data of the channel binding `tls-server-end-point` (RFC 5929, 4.1): the certificate (DER) hashed with the hash of its
 * signature algorithm. Undefined where that has none, as Ed25519, or is not known.
 */
export function hashCertificate(certificate: Uint8Array): Uint8Array | undefined {
  const hash = findHash(certificate);
  return hash === undefined ? undefined : createHash(hash).update(certificate).digest();
}

/** RFC 5280, 4.1: a certificate is its body, the algorithm and the signature. */
function findHash(certificate: Uint8Array): string | undefined {
  const [outer] = readElements(certificate);
  const [, algorithm] = outer?.tag === tag.sequence ? readElements(outer.content) : [];
  if (algorithm?.tag !== tag.sequence) return undefined;
  const [name, parameters] = readElements(algorithm.content);
  if (name?.tag !== tag.oid) return undefined;
  const oid = readOid(name.content);
  return oid === pss ? findPssHash(parameters) : hashes.get(oid);
}

/** RFC 4055, 3.1: the hash algorithm is the field 0. */
function findPssHash(parameters: Element | undefined): string | undefined {
  const fields = parameters?.tag === tag.sequence ? readElements(parameters.content) : [];
  const field = fields.find((each) => each.tag === tag.firstContext);
  if (field === undefined) return 'sha256';
  const [algorithm] = readElements(field.content);
  const [name] = algorithm?.tag === tag.sequence ? readElements(algorithm.content) : [];
  return name?.tag === tag.oid ? digests.get(readOid(name.content)) : undefined;
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The elements that lie one after the other (DER); stops at what is none. */
function readElements(bytes: Uint8Array): Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const first = bytes[at + 1] ?? 0;
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    let length = lengthBytes === 0 ? first : 0;
    for (let index = 0; index < lengthBytes; index++) length = length * 256 + (bytes[at + 2 + index] ?? 0);
    const start = at + 2 + lengthBytes;
    if (first === 0x80 || start + length > bytes.length) break;
    elements.push({ tag: bytes[at] ?? 0, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return elements;
}

function readOid(content: Uint8Array): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      if (arcs.length === 0) arcs.push(Math.min(2, Math.floor(arc / 40)), arc - 40 * Math.min(2, Math.floor(arc / 40)));
      else arcs.push(arc);
      arc = 0;
    }
  }
  return arcs.join('.');
}
