import type { Driver, DriverDatabase } from '../adbc/spi.ts';
import { RecurveError } from '../error.ts';

const hidden = '***';

/** A driver whose errors of opening and connecting do not show the secrets that it was opened with. */
export function keepSecrets(driver: Driver, secrets: readonly string[]): Driver {
  if (secrets.length === 0) return driver;
  // The longest first: one may be a part of another.
  const ordered = [...new Set(secrets)].sort((a, b) => b.length - a.length);
  return {
    name: driver.name,
    open: (options, call) => hide(ordered, async () => connectHidden(await driver.open(options, call), ordered)),
  };
}

function connectHidden(database: DriverDatabase, secrets: readonly string[]): DriverDatabase {
  return {
    connect: (call) => hide(secrets, () => database.connect(call)),
    close: () => hide(secrets, () => database.close()),
  };
}

async function hide<T>(secrets: readonly string[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw withoutSecrets(error, secrets);
  }
}

/** The error itself where it shows none; otherwise one like it, without its cause, which may show them too. */
function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  const clean = (text: string): string =>
    secrets.reduce((cleaned, secret) => cleaned.replaceAll(secret, hidden).replaceAll(encode(secret), hidden), text);
  const shown = describeAll(error);
  if (clean(shown) === shown) return error;
  if (!RecurveError.is(error)) return new RecurveError('INTERNAL', firstLine(clean(String(error))));
  const { hint, sqlState, vendorCode, exitCode, details } = error;
  return new RecurveError(error.status, clean(error.message), {
    hint: hint && clean(hint),
    sqlState,
    vendorCode,
    exitCode,
    details: details.map(([key, value]) => [key, new TextEncoder().encode(clean(new TextDecoder().decode(value)))]),
  });
}

/** All texts of an error and of its causes. */
function describeAll(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const details = RecurveError.is(error) ? error.details.map(([, value]) => new TextDecoder().decode(value)) : [];
  const hint = RecurveError.is(error) ? (error.hint ?? '') : '';
  const cause = error.cause === undefined ? '' : describeAll(error.cause);
  return [error.message, error.stack ?? '', hint, ...details, cause].join('\n');
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function encode(secret: string): string {
  // Half of a surrogate pair cannot be encoded, and so is in no URI.
  return /\p{Surrogate}/u.test(secret) ? secret : encodeURIComponent(secret);
}
