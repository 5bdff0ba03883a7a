import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';

/** Users of {@link startAccountServer}, each let in by one way alone, over TCP and the Unix socket. */
export const accounts = {
  /** By SCRAM-SHA-256. */
  scram: { user: 'scram', password: 'päss wörd' },
  /** By MD5 of the password. */
  md5: { user: 'md5', password: "it's MD5" },
  /** By the password as it is. */
  cleartext: { user: 'cleartext', password: 'plain/text@:%' },
  /** By `tls/client.crt`, over TLS. */
  certified: { user: 'certified', password: '' },
  /** Without anything. */
  trusted: { user: 'trusted', password: '' },
  /** Over TLS alone. */
  tlsOnly: { user: 'tls_only', password: '' },
  /** Without TLS alone. */
  plainOnly: { user: 'plain_only', password: '' },
  /** Not at all. */
  rejected: { user: 'rejected', password: '' },
} as const;

const hba: readonly string[] = [
  'hostssl all certified all cert',
  'hostssl all tls_only all trust',
  'hostnossl all plain_only all trust',
  ...['local all', 'host all'].flatMap((kind) => {
    const address = kind === 'host all' ? ' all' : '';
    return [
      `${kind} scram${address} scram-sha-256`,
      `${kind} md5${address} md5`,
      `${kind} cleartext${address} password`,
      `${kind} trusted${address} trust`,
      `${kind} all${address} reject`,
    ];
  }),
];

/** A server with all {@link accounts}, and TLS where asked for. Who starts it stops it. */
export async function startAccountServer(options: Omit<TestServerOptions, 'hba'> = {}): Promise<TestServer> {
  const server = await startTestServer({ ...options, hba });
  for (const { user, password } of Object.values(accounts)) {
    await server.query(`SET password_encryption = '${user === 'md5' ? 'md5' : 'scram-sha-256'}'`);
    const secret = password === '' ? '' : ` PASSWORD '${password.replaceAll("'", "''")}'`;
    await server.query(`CREATE ROLE ${user} LOGIN${secret}`);
  }
  await server.query('RESET password_encryption');
  return server;
}

/** The server's URI for an account. */
export function accountUri(server: TestServer, { user, password }: { user: string; password: string }): string {
  return server.uriWith((uri) => {
    uri.username = user;
    uri.password = encodeURIComponent(password);
  });
}
