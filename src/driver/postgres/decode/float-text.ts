/**
 * A double as PostgreSQL prints it: its shortest digits, with an exponent of two digits at least below 10^-4 and from
 * 10^15 on (common/d2s.c). Digits that lie midway to the next double are not taken for shortest, as JavaScript does.
 */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e15) return `${value}`;
  const shortest = value.toExponential();
  const [digits = '', exponent = '0'] = (isMidway(value, shortest) ? longer(value, shortest) : shortest).split('e');
  const power = Number(exponent);
  return `${digits}e${power < 0 ? '-' : '+'}${`${Math.abs(power)}`.padStart(2, '0')}`;
}

/** Whether the digits stand exactly between the double and the next one: only whole numbers from 2^53 on can. */
function isMidway(value: number, text: string): boolean {
  if (Math.abs(value) < 2 ** 53) return false;
  const [exact, shown] = [BigInt(value), integerOf(text)];
  if (exact === shown) return false;
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  // Doubles of one sign are in the order of their bits.
  const away = exact < shown === exact > 0n;
  bits.setBigInt64(0, bits.getBigInt64(0) + (away ? 1n : -1n));
  const next = bits.getFloat64(0);
  return Number.isFinite(next) && 2n * shown === exact + BigInt(next);
}

/** The whole number that such a text as `1.25e+20` is. */
function integerOf(text: string): bigint {
  const [digits = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(Number(exponent), '0'));
}

/** With one digit more. */
function longer(value: number, text: string): string {
  return value.toExponential((text.split('e')[0] ?? '').replace(/\D/g, '').length);
}
