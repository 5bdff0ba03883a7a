import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { RecurveError } from '../../../error.ts';
import { normalizePassword } from './saslprep.ts';

export const scramMechanism = 'SCRAM-SHA-256';
export const scramPlusMechanism = 'SCRAM-SHA-256-PLUS';

/**
 * Most rounds of hashing that a server may ask for. The number is the server's word before it has proved anything, and a
 * million takes half a second of a thread; PostgreSQL's default is 4,096.
 */
export const maxIterations = 1_000_000;

/**
 * How the exchange is tied to TLS (RFC 5802, 6): with the data of `tls-server-end-point`; or not, saying whether it could
 * have been, so that the server finds out if somebody has removed its offer.
 */
export type ScramBinding =
  | { readonly kind: 'bound'; readonly data: Uint8Array }
  | { readonly kind: 'notOffered' }
  | { readonly kind: 'notWanted' };

const deriveKey = promisify(pbkdf2);
const nonceBytes = 18;

/** One SCRAM-SHA-256 exchange as the client (RFC 5802, RFC 7677). What the server says wrong is UNAUTHENTICATED. */
export class ScramExchange {
  readonly mechanism: string;
  readonly #password: string;
  readonly #header: string;
  readonly #bindingData: Uint8Array;
  readonly #nonce: string;
  #serverSignature: Uint8Array | undefined;

  /** `nonce` is printable ASCII without a comma; default: a random one. */
  constructor(
    password: string,
    binding: ScramBinding,
    { nonce = randomBytes(nonceBytes).toString('base64') }: { readonly nonce?: string } = {},
  ) {
    this.mechanism = binding.kind === 'bound' ? scramPlusMechanism : scramMechanism;
    this.#password = password;
    this.#header = { bound: 'p=tls-server-end-point,,', notOffered: 'y,,', notWanted: 'n,,' }[binding.kind];
    this.#bindingData = binding.kind === 'bound' ? binding.data : new Uint8Array(0);
    this.#nonce = nonce;
  }

  /** client-first-message. The user is that of the start-up message, so none is named here. */
  get firstMessage(): string {
    return this.#header + this.#bareFirstMessage;
  }

  get #bareFirstMessage(): string {
    return `n=,r=${this.#nonce}`;
  }

  /** Answers server-first-message by client-final-message. */
  async answer(serverFirst: string): Promise<string> {
    const match = /^r=([\x21-\x2b\x2d-\x7e]+),s=([A-Za-z0-9+/]+={0,2}),i=([1-9]\d{0,9})(?:,.*)?$/s.exec(serverFirst);
    if (match === null) throw broken('its first message is malformed');
    const [, nonce = '', salt = '', iterationText = ''] = match;
    if (!nonce.startsWith(this.#nonce) || nonce.length === this.#nonce.length) {
      throw broken('its nonce does not continue ours');
    }
    const iterations = Number(iterationText);
    if (iterations > maxIterations) throw broken(`it asks for ${iterations} rounds of hashing, over ${maxIterations}`);
    const password = normalizePassword(this.#password);
    const salted = await deriveKey(password, Buffer.from(salt, 'base64'), iterations, 32, 'sha256');
    const clientKey = hmac(salted, 'Client Key');
    const storedKey = createHash('sha256').update(clientKey).digest();
    const channel = Buffer.concat([Buffer.from(this.#header), this.#bindingData]).toString('base64');
    const withoutProof = `c=${channel},r=${nonce}`;
    const authMessage = `${this.#bareFirstMessage},${serverFirst},${withoutProof}`;
    const clientSignature = hmac(storedKey, authMessage);
    const proof = clientKey.map((byte, index) => byte ^ (clientSignature[index] ?? 0));
    this.#serverSignature = hmac(hmac(salted, 'Server Key'), authMessage);
    return `${withoutProof},p=${Buffer.from(proof).toString('base64')}`;
  }

  /** Checks server-final-message: only who knows the password's hash can have signed it. */
  verify(serverFinal: string): void {
    if (this.#serverSignature === undefined) throw broken('it ended the exchange before its challenge');
    const error = /^e=([^,]*)/.exec(serverFinal)?.[1];
    if (error !== undefined) throw broken(`it says ${JSON.stringify(error)}`);
    const text = /^v=([A-Za-z0-9+/]+={0,2})(?:,.*)?$/s.exec(serverFinal)?.[1];
    const signature = Buffer.from(text ?? '', 'base64');
    if (signature.length !== this.#serverSignature.length || !timingSafeEqual(signature, this.#serverSignature)) {
      throw broken('its signature is wrong: it does not know the password');
    }
  }
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function broken(what: string): RecurveError {
  return new RecurveError('UNAUTHENTICATED', `the server failed the SCRAM authentication: ${what}`, {
    hint: 'something else than the server that you mean may have answered',
    exitCode: 3,
  });
}
