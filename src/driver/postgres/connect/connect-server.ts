import { RecurveError } from '../../../error.ts';
import type { Channel } from '../wire/channel.ts';
import { refuse, toConnectError } from './connect-error.ts';
import { withDeadline } from './deadline.ts';
import { type Encryption, planEncryption } from './encryption.ts';
import { type Endpoint, findEndpoints } from './endpoint.ts';
import { PasswordLookup } from './password-lookup.ts';
import { openChannel } from './secure-channel.ts';
import type { ConnectSettings } from './settings.ts';
import { type BackendKey, type StartUpState, startSession } from './start-up.ts';
import { findObjection, readServerRole, type TargetSession } from './target-session.ts';
import type { TlsSettings } from './tls-settings.ts';
import { warn } from './warning.ts';

/** A session that can be used. */
export interface ConnectedServer {
  readonly channel: Channel;
  /** As the server numbers it, e.g. 180004 for 18.4. */
  readonly serverVersion: number;
  /** Undefined where the server, or a pooler before it, gives none: its statements cannot be cancelled. */
  readonly backendKey: BackendKey | undefined;
  readonly endpoint: Endpoint;
  /** Whether it is over TLS. */
  readonly isSecure: boolean;
  readonly tls: TlsSettings;
}

/** Whom a failure leaves to be tried: this address in another way, other addresses, or nobody. */
type Next = 'encryption' | 'endpoint' | 'nobody';

type Outcome =
  | { readonly connected: ConnectedServer }
  | { readonly connected?: undefined; readonly error: RecurveError; readonly next: Next };

/**
 * Connects as libpq does: hosts and their addresses one after the other, each within `connectTimeoutMs`, in the ways that `sslmode`
 * allows, until one lets the session in and is what `targetSession` asks for. A server that refuses user, password or
 * certificate ends the search; one that is not there, starts up, or is not what was asked for does not.
 *
 * Throws with exit code 3: UNAUTHENTICATED, NOT_FOUND for a database that is not there, TIMEOUT, IO otherwise; with every
 * address and its reason where there were several. Throws `signal.reason` when that fires, nothing left open.
 */
export async function connectServer(settings: ConnectSettings, signal: AbortSignal): Promise<ConnectedServer> {
  for (const warning of settings.warnings) warn(warning);
  const password = new PasswordLookup(settings, signal);
  const failures: RecurveError[] = [];
  const rounds: readonly TargetSession[] =
    settings.targetSession === 'prefer-standby' ? ['standby', 'any'] : [settings.targetSession];
  for (const target of rounds) {
    failures.length = 0;
    for (const host of inOrder(settings.hosts, settings)) {
      let endpoints: readonly Endpoint[];
      try {
        endpoints = await withDeadline(
          { signal, timeoutMs: settings.connectTimeoutMs, what: `looking up ${host.host}` },
          () => findEndpoints(host),
        );
      } catch (error) {
        signal.throwIfAborted();
        if (!RecurveError.is(error)) throw error;
        failures.push(error);
        continue;
      }
      for (const endpoint of inOrder(endpoints, settings)) {
        const outcome = await connectEndpoint(endpoint, target, settings, password, signal);
        if (outcome.connected !== undefined) return outcome.connected;
        if (outcome.next === 'nobody') throw joinFailures([...failures, outcome.error]);
        failures.push(outcome.error);
      }
    }
  }
  throw joinFailures(failures);
}

async function connectEndpoint(
  endpoint: Endpoint,
  target: TargetSession,
  settings: ConnectSettings,
  password: PasswordLookup,
  signal: AbortSignal,
): Promise<Outcome> {
  const ways = planEncryption(settings.tls, 'path' in endpoint.address);
  let first: RecurveError | undefined;
  const what = `connecting to ${endpoint.label}`;
  try {
    return await withDeadline(
      { signal, timeoutMs: settings.connectTimeoutMs, what },
      async (limited) => {
        for (const [index, encryption] of ways.entries()) {
          const outcome = await attempt({ endpoint, encryption, target }, settings, password, limited);
          if (outcome.connected !== undefined) return outcome;
          const error = first === undefined ? outcome.error : joinWays(first, outcome.error);
          if (outcome.next !== 'encryption') return { error, next: outcome.next };
          if (index === ways.length - 1) return { error, next: 'nobody' };
          first = error;
        }
        throw new RecurveError('INTERNAL', 'no way of encryption was planned');
      },
      (late: Outcome) => late.connected?.channel.destroy(new RecurveError('CANCELLED', 'connected too late')),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (RecurveError.is(error) && error.status === 'TIMEOUT') return { error, next: 'endpoint' };
    throw error;
  }
}

/** How far an attempt has come. */
type Stage = 'socket' | 'tls' | 'session' | 'role';

interface Attempt {
  readonly endpoint: Endpoint;
  readonly encryption: Encryption;
  readonly target: TargetSession;
}

/** One socket, up to a session that can be used. */
async function attempt(
  { endpoint, encryption, target }: Attempt,
  settings: ConnectSettings,
  password: PasswordLookup,
  signal: AbortSignal,
): Promise<Outcome> {
  let channel: Channel | undefined;
  let isSecure = false;
  let stage: Stage = 'socket';
  const state: StartUpState = { isAuthenticated: false, report: undefined };
  const stop = (): void => channel?.destroy(new RecurveError('CANCELLED', 'connecting was stopped'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    const request = { address: endpoint.address, host: endpoint.host, encryption, tls: settings.tls };
    const { keepAliveIdleMs } = settings;
    const secured = await openChannel(request, {
      signal,
      keepAliveIdleMs,
      onOpen: (opened) => {
        channel = opened;
        stage = 'tls';
      },
    });
    ({ channel, isSecure } = secured);
    stage = 'session';
    const credentials = {
      user: settings.user,
      password: () => password.find(endpoint),
      certificate: secured.certificate,
      isSecure,
    };
    const { backendKey, serverVersion } = await startSession(channel, settings, credentials, state);
    stage = 'role';
    const objection = target === 'any' ? undefined : findObjection(target, await readServerRole(channel));
    if (objection !== undefined) {
      throw refuse('IO', objection, `target_session_attrs is ${settings.targetSession}`);
    }
    signal.throwIfAborted();
    return { connected: { channel, serverVersion, backendKey, endpoint, isSecure, tls: settings.tls } };
  } catch (error) {
    channel?.destroy(new RecurveError('IO', 'the connection was given up'));
    signal.throwIfAborted();
    if (!RecurveError.is(error)) throw error;
    const { report } = state;
    const failure = report === undefined ? withPlace(error, endpoint, stage) : toConnectError(report, endpoint.label);
    return { error: password.explain(failure), next: nextAfter(stage, state, { isSecure, encryption, error }) };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** SQLSTATE of a server that starts up, stops, or recovers. */
const cannotConnectNow = '57P03';

function nextAfter(
  stage: Stage,
  { report, isAuthenticated }: StartUpState,
  {
    isSecure,
    encryption,
    error,
  }: {
    readonly isSecure: boolean;
    readonly encryption: Encryption;
    readonly error: RecurveError;
  },
): Next {
  if (stage === 'socket' || stage === 'role' || report?.code === cannotConnectNow) return 'endpoint';
  if (stage === 'tls') return encryption === 'tlsIfOffered' ? 'encryption' : 'nobody';
  const hasOtherWay = encryption === 'plain' ? !isSecure : encryption === 'tlsIfOffered' && isSecure;
  if (report !== undefined) return hasOtherWay && !isAuthenticated ? 'encryption' : 'nobody';
  // The server went away, or what answered is none.
  return error.status === 'IO' ? 'endpoint' : 'nobody';
}

function inOrder<T>(items: readonly T[], { loadBalance }: ConnectSettings): readonly T[] {
  if (!loadBalance) return items;
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    const [a, b] = [shuffled[last], shuffled[other]];
    if (a === undefined || b === undefined) continue;
    shuffled[last] = b;
    shuffled[other] = a;
  }
  return shuffled;
}

function withPlace(error: RecurveError, { label }: Endpoint, stage: Stage): RecurveError {
  const { status, hint, sqlState, details, cause } = error;
  const code = stage === 'socket' && cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const message = code === undefined ? `${label}: ${error.message}` : `cannot connect to ${label} (${code})`;
  return new RecurveError(status, message, { hint, sqlState, details, cause, exitCode: 3 });
}

/** The second way failed too: what it said comes first, since it was the last that could have worked. */
function joinWays(first: RecurveError, second: RecurveError): RecurveError {
  if (first.message === second.message) return second;
  const { status, hint, sqlState, details } = second;
  return new RecurveError(status, `${first.message}; tried otherwise: ${second.message}`, {
    hint: first.hint ?? hint,
    sqlState,
    details,
    exitCode: 3,
    cause: first,
  });
}

function joinFailures(failures: readonly RecurveError[]): RecurveError {
  const [first, ...others] = failures;
  const last = failures.at(-1);
  if (first === undefined || last === undefined) return refuse('IO', 'there is no address to connect to');
  if (others.length === 0) return first;
  const status = failures.every((each) => each.status === first.status) ? first.status : last.status;
  return new RecurveError(
    status,
    `none of ${failures.length} addresses could be used: ${failures.map(({ message }) => message).join('; ')}`,
    {
      hint: last.hint,
      sqlState: last.sqlState,
      details: last.details,
      exitCode: 3,
      cause: new AggregateError(failures),
    },
  );
}
