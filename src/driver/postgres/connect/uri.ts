import type { KeywordValue } from './conninfo.ts';
import { usageError } from './usage-error.ts';

const scheme = /^postgres(?:ql)?:(?:\/\/)?/i;

/** Whether it is a URI for this driver, rather than a keyword/value string. */
export function isUri(text: string): boolean {
  return scheme.test(text);
}

/**
 * Reads `postgresql://user:password@host1:port,host2:port/dbname?keyword=value` (the manual, "Connection URIs"), every part
 * optional and percent-encoded: several hosts stand apart by commas, IPv6 addresses in brackets, folders of Unix sockets are
 * encoded (`%2Fvar%2Frun`) or given as `?host=/var/run`. `ssl=true`, as JDBC writes it, is `sslmode=require`.
 *
 * Throws INVALID_ARGUMENT saying which part is wrong. No message shows a value, nor the URI: what should have been encoded
 * may be a password anywhere in it.
 */
export function readUri(uri: string): KeywordValue[] {
  const [prefix = ''] = scheme.exec(uri) ?? [];
  const rest = uri.slice(prefix.length);
  if (!prefix.endsWith('//') && rest !== '')
    throw usageError('the URI has no // after its scheme', 'write postgresql://');
  const pairs: KeywordValue[] = [];
  // As libpq: the first of @ and / decides, so a slash in a password must be encoded.
  const [login = '', user, password] = /^([^@/:]*)(?::([^@/]*))?@/.exec(rest) ?? [];
  if (user) pairs.push(['user', decode(user, 'the user')]);
  if (password) pairs.push(['password', decode(password, 'the password')]);
  const { hosts, end } = readHostList(rest, login.length);
  const host = hosts.map((each) => each.host).join(',');
  const port = hosts.map((each) => each.port).join(',');
  if (host !== '') pairs.push(['host', decode(host, 'the host')]);
  if (port !== '') pairs.push(['port', decode(port, 'the port')]);
  const [, path, query] = /^(?:\/([^?]*))?(?:\?([\s\S]*))?$/.exec(rest.slice(end)) ?? [];
  if (path) pairs.push(['dbname', decode(path, 'the database')]);
  if (query) pairs.push(...readQuery(query));
  return pairs;
}

interface HostList {
  readonly hosts: readonly { readonly host: string; readonly port: string }[];
  /** Where the path or the query begins. */
  readonly end: number;
}

function readHostList(text: string, start: number): HostList {
  const hosts: { readonly host: string; readonly port: string }[] = [];
  const one = /(?:\[([^\]]*)(\])?|([^:/?,]*))(?::([^/?,]*))?/y;
  for (let at = start; ; at++) {
    one.lastIndex = at;
    const [, inBrackets, bracket, plain = '', port = ''] = one.exec(text) ?? [];
    at = one.lastIndex;
    if (inBrackets !== undefined && bracket === undefined) {
      throw usageError('an IPv6 address in the URI has no closing bracket', 'write [::1]');
    }
    if (inBrackets === '') throw usageError('the brackets of an IPv6 address in the URI are empty', 'write [::1]');
    if (at < text.length && !/[,/?]/.test(text.charAt(at))) {
      throw usageError('after the ] of an IPv6 address in the URI comes neither a port nor a path', 'write [::1]:5432');
    }
    hosts.push({ host: inBrackets ?? plain, port });
    if (text[at] !== ',') return { hosts, end: at };
  }
}

function readQuery(query: string): KeywordValue[] {
  return query
    .replace(/&$/, '')
    .split('&')
    .map((pair) => {
      const [key = '', value, ...more] = pair.split('=');
      const keyword = decode(key, 'a keyword');
      if (value === undefined) {
        throw usageError(`a part of the URI's query has no value`, 'write ?keyword=value, and %26 for a & in a value');
      }
      if (more.length > 0) {
        throw usageError(
          `${JSON.stringify(keyword)} in the URI's query has a second =`,
          'write %3D for a = in a value',
        );
      }
      const text = decode(value, `the value of ${JSON.stringify(keyword)}`);
      return keyword === 'ssl' && text === 'true' ? ['sslmode', 'require'] : [keyword, text];
    });
}

/** Spaces around a part are passed over, as libpq 18 does; others are refused, since they end a URI wherever one is written. */
function decode(text: string, what: string): string {
  const trimmed = text.replace(/^ +| +$/g, '');
  if (trimmed.includes(' ')) throw usageError(`${what} in the URI holds a space`, 'write %20 for a space');
  if (trimmed.includes('%00')) throw usageError(`${what} in the URI holds %00, which PostgreSQL has no use for`);
  try {
    return decodeURIComponent(trimmed);
  } catch {
    throw usageError(`${what} in the URI is not percent-encoded UTF-8`, 'write %25 for a %');
  }
}
