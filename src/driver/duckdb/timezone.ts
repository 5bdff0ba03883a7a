import type { NativePrepared, NativeType } from './read/native.ts';
import { readText } from './scalar.ts';
import type { NativeSession } from './session.ts';

/**
 * The session's `TimeZone` setting for a statement that may return TIMESTAMP WITH TIME ZONE; UTC for others and where the
 * setting does not exist. Asked for before each such run, since `SET GLOBAL` on any connection may change it.
 */
export async function readTimezone(
  session: NativeSession,
  prepared: NativePrepared,
  signal: AbortSignal,
): Promise<string> {
  const { binding } = session;
  const count = binding.prepared_statement_column_count(prepared);
  let zoned = false;
  for (let i = 0; i < count && !zoned; i++) {
    zoned = mayBeZoned(session, binding.prepared_statement_column_logical_type(prepared, i));
  }
  return zoned ? readTimezoneSetting(session, signal) : 'UTC';
}

/** The session's `TimeZone` setting; UTC where it does not exist. */
export async function readTimezoneSetting(session: NativeSession, signal: AbortSignal): Promise<string> {
  try {
    const sql = "SELECT value FROM duckdb_settings() WHERE name = 'TimeZone'";
    return (await readText(session, sql, signal)) || 'UTC';
  } catch (error) {
    signal.throwIfAborted();
    // An aborted transaction answers nothing; the statement itself will say so.
    if (session.inTransaction) return 'UTC';
    throw error;
  }
}

/** Whether a type holds a TIMESTAMP WITH TIME ZONE, or is not known before the parameters are. */
function mayBeZoned(session: NativeSession, type: NativeType): boolean {
  const { binding } = session;
  const { Type } = binding;
  switch (binding.get_type_id(type)) {
    case Type.INVALID:
    case Type.ANY:
    case Type.TIMESTAMP_TZ:
      return true;
    case Type.LIST:
      return mayBeZoned(session, binding.list_type_child_type(type));
    case Type.ARRAY:
      return mayBeZoned(session, binding.array_type_child_type(type));
    case Type.MAP:
      return (
        mayBeZoned(session, binding.map_type_key_type(type)) || mayBeZoned(session, binding.map_type_value_type(type))
      );
    case Type.STRUCT:
      return someOf(binding.struct_type_child_count(type), (i) =>
        mayBeZoned(session, binding.struct_type_child_type(type, i)),
      );
    case Type.UNION:
      return someOf(binding.union_type_member_count(type), (i) =>
        mayBeZoned(session, binding.union_type_member_type(type, i)),
      );
    default:
      return false;
  }
}

function someOf(count: number, test: (index: number) => boolean): boolean {
  for (let i = 0; i < count; i++) if (test(i)) return true;
  return false;
}
