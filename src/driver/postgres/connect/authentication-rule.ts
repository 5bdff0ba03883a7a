import type { SettingReader } from './setting-reader.ts';
import { usageError } from './usage-error.ts';

/** How a server may make sure who connects: libpq's words for `require_auth`. `none`: it asked for nothing. */
export type AuthenticationMethod = (typeof methods)[number];

const methods = ['password', 'md5', 'gss', 'sspi', 'scram-sha-256', 'oauth', 'none'] as const;

/** What the server may ask for. */
export interface AuthenticationRule {
  readonly allowed: ReadonlySet<AuthenticationMethod>;
  /** `require_auth` as it is given, for messages; undefined: anything goes. */
  readonly requirement: string | undefined;
  /** Whether SCRAM is tied to the server's certificate, so that nobody can stand between. */
  readonly channelBinding: 'disable' | 'prefer' | 'require';
}

/** Reads `require_auth`, a list of methods or of methods with `!`, and `channel_binding`. */
export function readAuthenticationRule(read: SettingReader): AuthenticationRule {
  const channelBinding = read.choice('channel_binding', ['disable', 'prefer', 'require'], 'prefer');
  const requirement = read.text('require_auth');
  if (requirement === undefined) return { allowed: new Set(methods), requirement, channelBinding };
  const named = new Set<AuthenticationMethod>();
  const words = requirement.split(',').map((word) => word.trim());
  const negated = words.filter((word) => word.startsWith('!')).length;
  if (negated !== 0 && negated !== words.length) {
    throw usageError(
      `require_auth is ${JSON.stringify(requirement)}: methods with ! and without it cannot stand together`,
      'list what is allowed, or list what is not, each with a !',
    );
  }
  for (const word of words) {
    const name = word.replace(/^!/, '');
    const method = methods.find((each) => each === name);
    if (method === undefined) {
      throw usageError(
        `require_auth is ${JSON.stringify(requirement)}: ${JSON.stringify(name)} is no method of authentication`,
        `known: ${methods.join(', ')}`,
      );
    }
    if (named.has(method)) {
      throw usageError(`require_auth is ${JSON.stringify(requirement)}: it names ${method} twice`);
    }
    named.add(method);
  }
  const allowed = negated === 0 ? named : new Set(methods.filter((method) => !named.has(method)));
  return { allowed, requirement, channelBinding };
}
