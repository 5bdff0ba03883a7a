import { createRequire } from 'node:module';
// biome-ignore lint/correctness/noUndeclaredDependencies: the peer brings it, and only its types are used here.
import type duckdb from '@duckdb/node-bindings';
import { RecurveError } from '../../error.ts';

/** The official bindings, as their module's default export has them. */
export type Binding = typeof duckdb;

const packageName = '@duckdb/node-api';
/** What this driver was measured and tested with: it reads the memory behind the bindings' handles. */
const expectedVersion = '1.5.6-r.1';
const installHint = `npm install ${packageName}@${expectedVersion}`;

const loaded = new Map<string, Binding>();

/**
 * Loads the native bindings through the optional peer `@duckdb/node-api`, found from the module `from` (a path or URL;
 * default this one), and the bindings from the peer's own place, so that strict package layouts work too.
 *
 * Throws NOT_FOUND when the package or its binary for this platform is missing, INVALID_STATE when the binary cannot be
 * loaded or the version is another one; all with exit code 3 and what to install.
 */
export function loadBinding(from: string = import.meta.url): Binding {
  const known = loaded.get(from);
  if (known !== undefined) return known;
  const peer = findPeer(from);
  if (peer.version !== expectedVersion) {
    throw new RecurveError(
      'INVALID_STATE',
      `${packageName} is version ${peer.version}, this driver needs ${expectedVersion}`,
      { exitCode: 3, hint: installHint },
    );
  }
  const binding = requireBinding(peer.path);
  loaded.set(from, binding);
  return binding;
}

function findPeer(from: string): { readonly path: string; readonly version: string } {
  const require = createRequire(from);
  try {
    const { version } = require(`${packageName}/package.json`) as { readonly version: string };
    return { path: require.resolve(packageName), version };
  } catch (cause) {
    throw new RecurveError('NOT_FOUND', `the package ${packageName} is not installed, which the DuckDB driver needs`, {
      exitCode: 3,
      hint: installHint,
      cause,
    });
  }
}

function requireBinding(peerPath: string): Binding {
  try {
    return createRequire(peerPath)('@duckdb/node-bindings') as Binding;
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'MODULE_NOT_FOUND';
    if (missing || (cause instanceof Error && cause.message.includes('unsupported arch'))) {
      throw new RecurveError('NOT_FOUND', `DuckDB's native library for ${platform} is not installed`, {
        exitCode: 3,
        hint: `${installHint}, with optional dependencies and on this platform`,
        cause,
      });
    }
    const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    throw new RecurveError('INVALID_STATE', `DuckDB's native library for ${platform} cannot be loaded: ${why}`, {
      exitCode: 3,
      cause,
    });
  }
}
