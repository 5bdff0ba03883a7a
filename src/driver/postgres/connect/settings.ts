import type { PasswordSource } from '../../../adbc/spi.ts';
import type { AuthenticationRule } from './authentication-rule.ts';
import type { HostSetting } from './host-list.ts';
import type { TargetSession } from './target-session.ts';
import type { TlsSettings } from './tls-settings.ts';

/** Where and how to connect: what a URI, options, service file and environment say, with every default filled in. */
export interface ConnectSettings {
  /** In the order in which they are tried, unless `loadBalance`. */
  readonly hosts: readonly HostSetting[];
  /** Tries hosts, and the addresses of each, in random order. */
  readonly loadBalance: boolean;
  readonly user: string;
  readonly database: string;
  /** Undefined: that of the password file, if the server asks for one. */
  readonly password: string | PasswordSource | undefined;
  readonly passwordFile: string;
  /** For each address, from its socket to its first ReadyForQuery. 0: no limit. */
  readonly connectTimeoutMs: number;
  /** Undefined: no keepalives; 0: the system's idle time. */
  readonly keepAliveIdleMs: number | undefined;
  readonly tls: TlsSettings;
  readonly authentication: AuthenticationRule;
  readonly targetSession: TargetSession;
  /** What the session starts with, under the server's names, e.g. `application_name`, `TimeZone`, `options`. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly protocol: ProtocolRange;
  /** What was asked for and cannot be had, one sentence each. */
  readonly warnings: readonly string[];
}

/** Minor versions of protocol 3 that are spoken. */
export interface ProtocolRange {
  readonly leastMinor: number;
  readonly mostMinor: number;
}
