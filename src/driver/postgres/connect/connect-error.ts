import { RecurveError } from '../../../error.ts';
import type { Status } from '../../../status.ts';
import { toRecurveError } from '../error.ts';
import type { ServerReport } from '../wire/report.ts';

/** Exit code of the command for what has to do with connecting. */
const exitCode = 3;

/** What a server said while a connection was made; `label` names it. */
export function toConnectError(report: ServerReport, label: string): RecurveError {
  const { status, message, sqlState, details, hint } = toRecurveError(report);
  return new RecurveError(poolerStatus(report) ?? status, `${label}: ${message}`, {
    hint: hint ?? hintOf(report),
    sqlState,
    details,
    exitCode,
  });
}

/** The server, or something before it, does not keep to the protocol, or asks for what cannot be given. */
export function refuse(status: Status, message: string, hint?: string): RecurveError {
  return new RecurveError(status, message, { hint, exitCode });
}

/** pgbouncer gives one SQLSTATE, that of a broken protocol, for whatever it does not like. */
function poolerStatus({ code, message }: ServerReport): Status | undefined {
  if (!code.startsWith('08')) return undefined;
  if (/authentication failed|no such user/.test(message)) return 'UNAUTHENTICATED';
  return /no such database/.test(message) ? 'NOT_FOUND' : 'IO';
}

function hintOf({ code, message }: ServerReport): string | undefined {
  if (code === '28P01' || /^SASL authentication failed/.test(message)) return 'check user and password';
  if (code === '28000' && /no encryption|SSL off/.test(message)) {
    return 'the server may want TLS here (sslmode=require): its pg_hba.conf decides';
  }
  if (code.startsWith('28')) return "the server's pg_hba.conf decides who may connect, from where and how";
  if (code === '3D000') return 'name another database: postgresql://host/database';
  if (code === '53300') return 'close other connections, or use a pool';
  if (code === '57P03') return 'the server starts or stops: try again later';
  return undefined;
}
