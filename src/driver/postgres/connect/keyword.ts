/** What is known of a connection keyword of libpq; the manual, "Parameter Key Words" and "Environment Variables". */
export interface Keyword {
  /** The variable of the environment that stands for it. */
  readonly variable?: string;
  /** Its default. */
  readonly standard?: string;
  /**
   * Why a value other than these is NOT_IMPLEMENTED. An empty value always counts as none.
   */
  readonly refused?: { readonly unless: readonly string[]; readonly because: string };
  /** It is taken and changes nothing; a warning says why, where that matters. */
  readonly ignored?: string;
}

const noGss = 'Kerberos (GSSAPI and SSPI) is not supported';
const noOauth = 'OAuth is not supported';

/** All keywords of libpq 18, also those that this driver does not serve: they are told from misspelt ones. */
export const keywords: ReadonlyMap<string, Keyword> = new Map(
  Object.entries<Keyword>({
    service: { variable: 'PGSERVICE' },
    servicefile: { variable: 'PGSERVICEFILE' },
    user: { variable: 'PGUSER' },
    password: { variable: 'PGPASSWORD' },
    passfile: { variable: 'PGPASSFILE' },
    channel_binding: { variable: 'PGCHANNELBINDING', standard: 'prefer' },
    connect_timeout: { variable: 'PGCONNECT_TIMEOUT' },
    dbname: { variable: 'PGDATABASE' },
    host: { variable: 'PGHOST' },
    hostaddr: { variable: 'PGHOSTADDR' },
    port: { variable: 'PGPORT' },
    client_encoding: { variable: 'PGCLIENTENCODING' },
    options: { variable: 'PGOPTIONS' },
    application_name: { variable: 'PGAPPNAME' },
    fallback_application_name: {},
    keepalives: {},
    keepalives_idle: {},
    keepalives_interval: { ignored: 'Node sets no interval between keepalives: the system sends one each second' },
    keepalives_count: { ignored: 'Node sets no count of keepalives: the connection ends after 10 without an answer' },
    tcp_user_timeout: { ignored: 'Node cannot set how long sent data may stay unacknowledged' },
    sslmode: { variable: 'PGSSLMODE' },
    sslnegotiation: { variable: 'PGSSLNEGOTIATION', standard: 'postgres' },
    sslcompression: { variable: 'PGSSLCOMPRESSION', ignored: 'TLS is never compressed' },
    sslcert: { variable: 'PGSSLCERT' },
    sslkey: { variable: 'PGSSLKEY' },
    sslcertmode: { variable: 'PGSSLCERTMODE', standard: 'allow' },
    sslpassword: {},
    sslrootcert: { variable: 'PGSSLROOTCERT' },
    sslcrl: { variable: 'PGSSLCRL' },
    sslcrldir: {
      variable: 'PGSSLCRLDIR',
      refused: { unless: [], because: 'folders of revocation lists are not read: put them in one file, sslcrl' },
    },
    sslsni: { variable: 'PGSSLSNI', standard: '1' },
    sslkeylogfile: { refused: { unless: [], because: 'TLS keys are not written: start Node with --tls-keylog=FILE' } },
    ssl_min_protocol_version: { variable: 'PGSSLMINPROTOCOLVERSION', standard: 'TLSv1.2' },
    ssl_max_protocol_version: { variable: 'PGSSLMAXPROTOCOLVERSION' },
    min_protocol_version: { variable: 'PGMINPROTOCOLVERSION' },
    max_protocol_version: { variable: 'PGMAXPROTOCOLVERSION' },
    requirepeer: {
      variable: 'PGREQUIREPEER',
      refused: { unless: [], because: 'Node does not tell who listens at a Unix socket' },
    },
    require_auth: { variable: 'PGREQUIREAUTH' },
    gssencmode: { variable: 'PGGSSENCMODE', refused: { unless: ['disable', 'prefer'], because: noGss } },
    krbsrvname: { variable: 'PGKRBSRVNAME', ignored: noGss },
    gsslib: { variable: 'PGGSSLIB', ignored: noGss },
    gssdelegation: { variable: 'PGGSSDELEGATION', ignored: noGss },
    replication: {
      refused: {
        unless: ['false', 'off', 'no', '0'],
        because: 'replication connections have another protocol',
      },
    },
    target_session_attrs: { variable: 'PGTARGETSESSIONATTRS', standard: 'any' },
    load_balance_hosts: { variable: 'PGLOADBALANCEHOSTS', standard: 'disable' },
    scram_client_key: { refused: { unless: [], because: 'give the password itself' } },
    scram_server_key: { refused: { unless: [], because: 'give the password itself' } },
    oauth_issuer: { refused: { unless: [], because: noOauth } },
    oauth_client_id: { refused: { unless: [], because: noOauth } },
    oauth_client_secret: { refused: { unless: [], because: noOauth } },
    oauth_scope: { refused: { unless: [], because: noOauth } },
  }),
);

/** ADBC's database options and what libpq calls them. */
export const adbcKeywords: ReadonlyMap<string, string> = new Map([
  ['username', 'user'],
  ['password', 'password'],
]);

/** Variables that stand for settings of the session, sent when it starts: libpq's `EnvironmentOptions`. */
export const sessionVariables: ReadonlyMap<string, string> = new Map([
  ['PGDATESTYLE', 'DateStyle'],
  ['PGTZ', 'TimeZone'],
  ['PGGEQO', 'geqo'],
]);
