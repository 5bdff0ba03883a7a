import type { TlsSettings } from './tls-settings.ts';

/**
 * A way to connect to one address: in the clear, over TLS, or over TLS if the server offers it and in the clear otherwise.
 */
export type Encryption = 'plain' | 'tls' | 'tlsIfOffered';

/** The ways that an `sslmode` allows, in the order in which they are tried. A Unix socket knows no TLS. */
export function planEncryption({ mode }: Pick<TlsSettings, 'mode'>, isUnixSocket: boolean): readonly Encryption[] {
  if (isUnixSocket || mode === 'disable') return ['plain'];
  if (mode === 'allow') return ['plain', 'tls'];
  if (mode === 'prefer') return ['tlsIfOffered', 'plain'];
  return ['tls'];
}
