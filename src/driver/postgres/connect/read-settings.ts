import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { PasswordSource } from '../../../adbc/spi.ts';
import { RecurveError } from '../../../error.ts';
import { readAuthenticationRule } from './authentication-rule.ts';
import { collectKeywords, type KeywordContext } from './collect-keywords.ts';
import { readHosts } from './host-list.ts';
import { keywords, sessionVariables } from './keyword.ts';
import { SettingReader } from './setting-reader.ts';
import type { ConnectSettings, ProtocolRange } from './settings.ts';
import { targetSessions } from './target-session.ts';
import { readTlsSettings } from './tls-settings.ts';
import { usageError } from './usage-error.ts';

/** What settings depend on besides the options. */
export interface SettingsContext extends KeywordContext {
  /** Asked for each connection; an option, URI or service that gives a password besides it is INVALID_ARGUMENT. */
  readonly password?: PasswordSource | undefined;
  /** Default: the name of the process's user. */
  readonly systemUser?: string;
  readonly platform?: string;
}

/** Settings of connections, and what is not about connecting. */
export interface ReadSettings {
  readonly connect: ConnectSettings;
  /** Values of `ownOptions` by name. */
  readonly own: ReadonlyMap<string, string>;
}

/**
 * Reads how to connect as libpq does, see {@link collectKeywords}. Options bear libpq's keywords, or ADBC's `username`.
 *
 * Throws INVALID_ARGUMENT (exit code 2) for an unknown keyword and for a value that cannot be; NOT_IMPLEMENTED for what libpq
 * has and this driver does not (`docs/postgres.md` lists it).
 */
export function readConnectSettings(options: ReadonlyMap<string, string>, context: SettingsContext = {}): ReadSettings {
  const { values, own, givesPassword } = collectKeywords(options, context);
  if (context.password !== undefined && givesPassword) {
    throw usageError('there is a password and a function that gives one', 'leave one of them out');
  }
  return { connect: checkSettings(values, context), own };
}

function checkSettings(values: ReadonlyMap<string, string>, context: SettingsContext): ConnectSettings {
  const { environment = process.env, homeFolder = homedir(), platform = process.platform } = context;
  const read = new SettingReader(values);
  for (const [keyword, { refused }] of keywords) {
    const value = read.text(keyword);
    if (refused === undefined || value === undefined || refused.unless.includes(value)) continue;
    throw read.notImplemented(keyword, refused.because);
  }
  const folder =
    platform === 'win32' ? join(environment.APPDATA ?? homeFolder, 'postgresql') : join(homeFolder, '.postgresql');
  const user = read.text('user') ?? context.systemUser ?? systemUser();
  return {
    hosts: readHosts(read),
    loadBalance: read.choice('load_balance_hosts', ['disable', 'random'], 'disable') === 'random',
    user,
    database: read.text('dbname') ?? user,
    password: context.password ?? read.text('password'),
    passwordFile:
      read.text('passfile') ?? (platform === 'win32' ? join(folder, 'pgpass.conf') : join(homeFolder, '.pgpass')),
    connectTimeoutMs: Math.max(0, read.integer('connect_timeout') ?? 0) * 1000,
    keepAliveIdleMs:
      (read.integer('keepalives') ?? 1) === 0 ? undefined : Math.max(0, read.integer('keepalives_idle') ?? 0) * 1000,
    tls: readTlsSettings(read, folder),
    authentication: readAuthenticationRule(read),
    targetSession: read.choice('target_session_attrs', targetSessions, 'any'),
    parameters: readParameters(read, environment),
    protocol: readProtocol(read),
    warnings: [...keywords].flatMap(([keyword, { ignored }]) =>
      ignored === undefined || !isMeant(keyword, read.text(keyword)) ? [] : [`${keyword} is ignored: ${ignored}`],
    ),
  };
}

/** What asks for nothing needs no warning. */
function isMeant(keyword: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  if (keyword.startsWith('keepalives') || keyword === 'tcp_user_timeout' || keyword === 'sslcompression') {
    return value !== '0';
  }
  return false;
}

function readParameters(
  read: SettingReader,
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const encoding = read.text('client_encoding');
  if (encoding !== undefined && !/^(auto|utf-?8|unicode)$/i.test(encoding)) {
    throw new RecurveError(
      'NOT_IMPLEMENTED',
      `client_encoding is ${JSON.stringify(encoding)}, but texts of Arrow are UTF-8`,
      {
        hint: 'leave it out: the server converts',
        exitCode: 2,
      },
    );
  }
  // ISO alone keeps the order of day and month that the server or the database has set.
  const parameters = new Map([
    ['client_encoding', 'UTF8'],
    ['DateStyle', 'ISO'],
    ['application_name', read.text('application_name') ?? read.text('fallback_application_name') ?? 'recurve'],
  ]);
  const options = read.text('options');
  if (options !== undefined) parameters.set('options', options);
  for (const [variable, name] of sessionVariables) {
    const value = environment[variable];
    if (value && value.toLowerCase() !== 'default') parameters.set(name, value);
  }
  return parameters;
}

function readProtocol(read: SettingReader): ProtocolRange {
  const minorOf = { '3.0': 0, '3.2': 2, latest: 2 } as const;
  const versions = ['3.0', '3.2', 'latest'] as const;
  const leastMinor = minorOf[read.choice('min_protocol_version', versions, '3.0')];
  const most = read.optionalChoice('max_protocol_version', versions);
  const mostMinor = most === undefined ? leastMinor : minorOf[most];
  if (mostMinor < leastMinor) throw usageError('max_protocol_version is below min_protocol_version');
  return { leastMinor, mostMinor };
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    throw usageError('this process runs as a user without a name', 'give a user: postgresql://user@host');
  }
}
