import type { Channel } from '../wire/channel.ts';
import { BodyReader, type Message, MessageType } from '../wire/message-reader.ts';
import { MessageWriter } from '../wire/message-writer.ts';
import { readReport, type ServerReport } from '../wire/report.ts';
import { Authentication, type Credentials } from './authenticate.ts';
import { refuse } from './connect-error.ts';
import type { ConnectSettings } from './settings.ts';

/** What a cancel request names a session by; its secret has 4 bytes in protocol 3.0 and up to 256 in 3.2. */
export interface BackendKey {
  readonly processId: number;
  readonly secretKey: Uint8Array;
}

/** A session that has begun. */
export interface Started {
  /** Undefined where the server, or a pooler before it, gives none: nothing can be cancelled then. */
  readonly backendKey: BackendKey | undefined;
  /** As the server numbers it, e.g. 180004 for 18.4. */
  readonly serverVersion: number;
  /** Minor version of protocol 3 that is spoken. */
  readonly protocolMinor: number;
}

/** How far a start-up came when it failed, and what the server said. */
export interface StartUpState {
  isAuthenticated: boolean;
  report: ServerReport | undefined;
}

const protocolMajor = 3 << 16;
/** Of messages before a session has begun; libpq has the same bound. Else four bytes of garbage could ask for 2 GiB. */
const maxStartUpBytes = 30_000;
const maxSecretBytes = 256;
const leastServerVersion = 100_000;

/**
 * Starts a session on an open channel: start-up message, authentication, up to the first ReadyForQuery (the manual, "Start-up").
 * Throws what the server reports as `state.report`, and what is wrong with it.
 */
export async function startSession(
  channel: Channel,
  settings: Pick<ConnectSettings, 'user' | 'database' | 'parameters' | 'protocol' | 'authentication'>,
  credentials: Credentials,
  state: StartUpState,
): Promise<Started> {
  const { protocol } = settings;
  channel.messageLimit = maxStartUpBytes;
  channel.send(new MessageWriter().startup(protocolMajor + protocol.mostMinor, writeParameters(settings)).take());
  const authentication = new Authentication(channel, credentials, settings.authentication);
  let backendKey: BackendKey | undefined;
  let protocolMinor = protocol.mostMinor;
  for (;;) {
    const message = await channel.readMessage();
    switch (message.type) {
      case MessageType.Authentication:
        if (state.isAuthenticated) throw unexpected(message);
        state.isAuthenticated = await authentication.take(message);
        break;
      case MessageType.NegotiateProtocolVersion:
        if (state.isAuthenticated) throw unexpected(message);
        protocolMinor = readNegotiation(message, settings);
        break;
      case MessageType.ErrorResponse:
        state.report = readReport(message.body);
        throw refuse('IO', state.report.message);
      case MessageType.BackendKeyData:
        if (!state.isAuthenticated) throw unexpected(message);
        backendKey = readBackendKey(message);
        break;
      case MessageType.ReadyForQuery:
        if (!state.isAuthenticated) throw unexpected(message);
        channel.messageLimit = undefined;
        return {
          backendKey,
          serverVersion: readServerVersion(channel.parameters.get('server_version')),
          protocolMinor,
        };
      default:
        throw unexpected(message);
    }
  }
}

function writeParameters(settings: Pick<ConnectSettings, 'user' | 'database' | 'parameters'>): Uint8Array {
  const all = [['user', settings.user], ['database', settings.database], ...settings.parameters];
  return new TextEncoder().encode(`${all.map(([name, value]) => `${name}\0${value}\0`).join('')}\0`);
}

/** An older server says up to where it goes; options of the protocol are never asked for. */
function readNegotiation({ body }: Message, { protocol }: Pick<ConnectSettings, 'protocol'>): number {
  const reader = new BodyReader(body);
  const version = reader.uint32();
  const count = reader.int32();
  // Servers before 18 give the minor version alone.
  const minor = version & 0xffff;
  if (count !== 0)
    throw refuse('IO', `the server does not know ${count} options of the protocol that nobody asked for`);
  if (minor > protocol.mostMinor || (version >>> 16 !== 0 && version >>> 16 !== 3)) {
    throw refuse('IO', `the server answers with protocol ${version >>> 16}.${minor}, newer than was asked for`);
  }
  if (minor < protocol.leastMinor) {
    throw refuse(
      'NOT_IMPLEMENTED',
      `the server speaks protocol 3.${minor}, but min_protocol_version is 3.${protocol.leastMinor}`,
    );
  }
  return minor;
}

function readBackendKey({ body }: Message): BackendKey {
  const reader = new BodyReader(body);
  const processId = reader.int32();
  const secretKey = reader.rest();
  if (secretKey.length >= 4 && secretKey.length <= maxSecretBytes) return { processId, secretKey };
  throw refuse('IO', `the server broke the protocol: its cancel key has ${secretKey.length} bytes, not 4 to 256`);
}

/** `15.14 (Debian 15.14-0+deb12u1)` is 150014, `18beta1` 180000. Throws NOT_IMPLEMENTED for servers before 10. */
export function readServerVersion(text: string | undefined): number {
  const match = /^(\d+)(?:\.(\d+))?/.exec(text ?? '');
  if (match === null) throw refuse('IO', `the server gives no version, but ${JSON.stringify(text ?? '')}`);
  const version = Number(match[1]) * 10_000 + Number(match[2] ?? 0);
  if (version >= leastServerVersion) return version;
  throw refuse('NOT_IMPLEMENTED', `the server is PostgreSQL ${text}, and this driver needs 10 or newer`);
}

function unexpected({ type }: Message): Error {
  const shown = `0x${type.toString(16).padStart(2, '0')}`;
  return refuse(
    'IO',
    `the server broke the protocol: message ${shown} at the wrong time`,
    'is it a PostgreSQL server?',
  );
}
