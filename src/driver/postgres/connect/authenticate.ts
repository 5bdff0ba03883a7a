import { createHash } from 'node:crypto';
import type { RecurveError } from '../../../error.ts';
import type { Channel } from '../wire/channel.ts';
import { BodyReader, type Message } from '../wire/message-reader.ts';
import { MessageWriter } from '../wire/message-writer.ts';
import type { AuthenticationMethod, AuthenticationRule } from './authentication-rule.ts';
import { hashCertificate } from './certificate-hash.ts';
import { refuse } from './connect-error.ts';
import { type ScramBinding, ScramExchange, scramMechanism, scramPlusMechanism } from './scram.ts';

/** What a server can be shown. */
export interface Credentials {
  readonly user: string;
  /** Asked only if the server wants one. Undefined: there is none. */
  readonly password: () => Promise<string | undefined>;
  /** Of the server (DER), where the connection is over TLS. */
  readonly certificate: Uint8Array | undefined;
  /** Whether it is over TLS. */
  readonly isSecure: boolean;
}

/** Codes of authentication requests; the manual, "Message Formats". */
const request = {
  ok: 0,
  kerberosV5: 2,
  cleartext: 3,
  md5: 5,
  gss: 7,
  gssContinue: 8,
  sspi: 9,
  sasl: 10,
  saslContinue: 11,
  saslFinal: 12,
} as const;

/**
 * Answers what the server asks until it is satisfied. `readMessage` gives authentication requests and throws for what else
 * comes. Throws UNAUTHENTICATED for what `rule` does not allow, a password that is missing, and a server that fails its own proof.
 */
export class Authentication {
  readonly #channel: Channel;
  readonly #credentials: Credentials;
  readonly #rule: AuthenticationRule;
  readonly #writer = new MessageWriter();
  #scram: ScramExchange | undefined;
  #isVerified = false;
  #isBound = false;
  #asked: AuthenticationMethod = 'none';

  constructor(channel: Channel, credentials: Credentials, rule: AuthenticationRule) {
    this.#channel = channel;
    this.#credentials = credentials;
    this.#rule = rule;
  }

  /** Takes one authentication request. True when it was the last. */
  async take(message: Message): Promise<boolean> {
    const reader = new BodyReader(message.body);
    const code = reader.int32();
    switch (code) {
      case request.ok:
        this.#finish();
        return true;
      case request.cleartext:
        this.#begin('password');
        this.#answer(Buffer.from(`${await this.#password()}\0`));
        return false;
      case request.md5:
        this.#begin('md5');
        this.#answer(Buffer.from(`${hashMd5(await this.#password(), this.#credentials.user, reader.rest())}\0`));
        return false;
      case request.sasl:
        this.#begin('scram-sha-256');
        await this.#beginScram(reader);
        return false;
      case request.saslContinue: {
        if (this.#scram === undefined) throw misplaced('a SASL challenge');
        this.#answer(Buffer.from(await this.#scram.answer(textOf(reader.rest()))));
        return false;
      }
      case request.saslFinal:
        if (this.#scram === undefined) throw misplaced('the end of a SASL exchange');
        this.#scram.verify(textOf(reader.rest()));
        this.#isVerified = true;
        return false;
      case request.gss:
      case request.gssContinue:
      case request.sspi:
      case request.kerberosV5:
        throw refuse(
          'NOT_IMPLEMENTED',
          'the server asks for Kerberos (GSSAPI or SSPI), which is not supported',
          'its pg_hba.conf must offer scram-sha-256, md5, password or cert for this user',
        );
      default:
        throw refuse('NOT_IMPLEMENTED', `the server asks for an authentication of the unknown kind ${code}`);
    }
  }

  #begin(method: AuthenticationMethod): void {
    if (this.#asked !== 'none') throw misplaced('a second request for authentication');
    this.#asked = method;
    this.#assertAllowed(method, `the server asks for ${method}`);
    if (this.#rule.channelBinding === 'require' && method !== 'scram-sha-256') {
      throw refuse(
        'UNAUTHENTICATED',
        `the server asks for ${method}, but channel_binding=require needs ${scramPlusMechanism}`,
      );
    }
  }

  #assertAllowed(method: AuthenticationMethod, what: string): void {
    if (this.#rule.allowed.has(method)) return;
    throw refuse('UNAUTHENTICATED', `${what}, but require_auth is ${this.#rule.requirement}`);
  }

  #finish(): void {
    if (this.#scram !== undefined && !this.#isVerified) {
      throw refuse('UNAUTHENTICATED', 'the server ended the SCRAM exchange without proving that it knows the password');
    }
    if (this.#asked === 'none') this.#assertAllowed('none', 'the server asks for no authentication');
    if (this.#rule.channelBinding === 'require' && !this.#isBound) {
      throw refuse('UNAUTHENTICATED', 'channel_binding=require, but the server let the connection in without it');
    }
  }

  async #password(): Promise<string> {
    const password = await this.#credentials.password();
    if (password) return password;
    throw refuse(
      'UNAUTHENTICATED',
      `the server asks for the password of ${JSON.stringify(this.#credentials.user)}, and none is given`,
      'give it in the URI, the option password, PGPASSWORD or ~/.pgpass',
    );
  }

  async #beginScram(reader: BodyReader): Promise<void> {
    const offered: string[] = [];
    for (let name = reader.text(); name !== ''; name = reader.text()) offered.push(name);
    const binding = this.#chooseBinding(offered);
    const scram = new ScramExchange(await this.#password(), binding);
    const first = Buffer.from(scram.firstMessage);
    const length = Buffer.alloc(4);
    length.writeInt32BE(first.length);
    this.#scram = scram;
    this.#isBound = binding.kind === 'bound';
    this.#answer(Buffer.concat([Buffer.from(`${scram.mechanism}\0`), length, first]));
  }

  #chooseBinding(offered: readonly string[]): ScramBinding {
    const { isSecure, certificate } = this.#credentials;
    const { channelBinding } = this.#rule;
    const offersPlus = offered.includes(scramPlusMechanism);
    if (offersPlus && !isSecure) {
      throw refuse(
        'UNAUTHENTICATED',
        `the server offers ${scramPlusMechanism} without TLS: somebody may stand between`,
      );
    }
    if (offersPlus && channelBinding !== 'disable') {
      const data = certificate === undefined ? undefined : hashCertificate(certificate);
      if (data !== undefined) return { kind: 'bound', data };
      if (channelBinding === 'require') {
        throw refuse(
          'UNAUTHENTICATED',
          "channel_binding=require, but the signature of the server's certificate has no hash to bind to",
        );
      }
      return { kind: 'notWanted' };
    }
    if (channelBinding === 'require') {
      const why = isSecure ? `the server does not offer ${scramPlusMechanism}` : 'the connection is not over TLS';
      throw refuse('UNAUTHENTICATED', `channel_binding=require, but ${why}`);
    }
    if (!offered.includes(scramMechanism)) {
      const shown = offered.map((name) => JSON.stringify(name)).join(', ');
      throw refuse('NOT_IMPLEMENTED', `the server offers only SASL mechanisms that are not supported: ${shown}`);
    }
    return { kind: isSecure && channelBinding !== 'disable' ? 'notOffered' : 'notWanted' };
  }

  #answer(body: Uint8Array): void {
    this.#channel.send(this.#writer.password(body).take());
  }
}

/** As PostgreSQL hashes passwords with MD5: with the user first, then with the salt of this connection. */
function hashMd5(password: string, user: string, salt: Uint8Array): string {
  const inner = createHash('md5').update(password).update(user).digest('hex');
  return `md5${createHash('md5').update(inner).update(salt).digest('hex')}`;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}

function misplaced(what: string): RecurveError {
  return refuse('IO', `the server broke the protocol: it sent ${what} at the wrong time`);
}
