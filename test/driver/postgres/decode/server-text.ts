import type { Field } from 'recurve/arrow';

/**
 * The text that PostgreSQL's `::text` gives of a value that was decoded, with `DateStyle` ISO, `IntervalStyle` postgres, `TimeZone`
 * UTC and `bytea_output` hex. `inside`: as part of an array, a row or a range.
 */
export function serverText(field: Field, value: unknown, inside = false): string {
  const { type } = field;
  switch (type.kind) {
    case 'bool':
      return inside ? (value ? 't' : 'f') : String(value);
    case 'float':
      return floatText(value as number, type.bitWidth === 32);
    case 'binary':
      return `\\x${Buffer.from(value as Uint8Array).toString('hex')}`;
    case 'date':
      return civilText(BigInt(value as number), '');
    case 'time':
      return clockText(value as bigint);
    case 'timestamp': {
      const micros = value as bigint;
      const day = floorDivide(micros, 86_400_000_000n);
      const zone = type.timezone === null ? '' : '+00';
      return civilText(day, ` ${clockText(micros - day * 86_400_000_000n)}${zone}`);
    }
    case 'interval':
      return intervalText(value as { months: number; days: number; nanoseconds: bigint });
    case 'list':
    case 'fixed-size-list':
      return listText(field, type.child, Array.from(value as ArrayLike<unknown>));
    case 'struct':
      return structText(type.children, value as Record<string, unknown>);
    case 'map':
      return Array.from(value as ArrayLike<[string, string | null]>, ([key, item]) => {
        const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
        return `${quoted(key)}=>${item === null ? 'NULL' : quoted(item)}`;
      }).join(', ');
    case 'int':
      return field.metadata.get('POSTGRESQL:type') === 'pg_lsn' ? lsnText(value as bigint) : String(value);
    default:
      return String(value);
  }
}

function lsnText(value: bigint): string {
  const [high, low] = [value >> 32n, value & 0xffff_ffffn];
  return `${high.toString(16).toUpperCase()}/${low.toString(16).toUpperCase()}`;
}

function floatText(value: number, single: boolean): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (Object.is(value, -0)) return '-0';
  let text = value.toExponential();
  for (let digits = 0; single && digits < 9; digits++) {
    text = value.toExponential(digits);
    if (Math.fround(Number(text)) === value) break;
  }
  const [, sign = '', first = '', rest = '', power = '0'] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  const exponent = Number(power);
  const digits = first + rest.replace(/0+$/, '');
  if (exponent < -4 || exponent >= (single ? 6 : 15)) {
    const mantissa = digits.length > 1 ? `${first}.${digits.slice(1)}` : first;
    return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${`${Math.abs(exponent)}`.padStart(2, '0')}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

/** A day since 1970-01-01 of the Gregorian calendar, with what stands between it and its era. */
function civilText(day: bigint, clock: string): string {
  // From 1 March of the year 0, in cycles of 400 years.
  const shifted = day + 719_468n;
  const cycle = floorDivide(shifted, 146_097n);
  const inCycle = shifted - cycle * 146_097n;
  const yearOfCycle = (inCycle - inCycle / 1460n + inCycle / 36_524n - inCycle / 146_096n) / 365n;
  const inYear = inCycle - (365n * yearOfCycle + yearOfCycle / 4n - yearOfCycle / 100n);
  const marchMonth = (5n * inYear + 2n) / 153n;
  const dayOfMonth = inYear - (153n * marchMonth + 2n) / 5n + 1n;
  const month = marchMonth < 10n ? marchMonth + 3n : marchMonth - 9n;
  const year = yearOfCycle + cycle * 400n + (month <= 2n ? 1n : 0n);
  const shown = year > 0n ? year : 1n - year;
  const date = `${`${shown}`.padStart(4, '0')}-${`${month}`.padStart(2, '0')}-${`${dayOfMonth}`.padStart(2, '0')}`;
  return `${date}${clock}${year > 0n ? '' : ' BC'}`;
}

function clockText(micros: bigint): string {
  const two = (value: bigint): string => `${value}`.padStart(2, '0');
  const seconds = micros / 1_000_000n;
  const rest = micros % 1_000_000n;
  const fraction = rest === 0n ? '' : `.${`${rest}`.padStart(6, '0').replace(/0+$/, '')}`;
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction}`;
}

function intervalText({ months, days, nanoseconds }: { months: number; days: number; nanoseconds: bigint }): string {
  const parts: string[] = [];
  let wasNegative = false;
  const add = (count: number, unit: string): void => {
    if (count === 0) return;
    parts.push(`${wasNegative && count > 0 ? '+' : ''}${count} ${unit}${count === 1 ? '' : 's'}`);
    wasNegative = count < 0;
  };
  add(Math.trunc(months / 12), 'year');
  add(months % 12, 'mon');
  add(days, 'day');
  if (nanoseconds !== 0n || parts.length === 0) {
    const sign = nanoseconds < 0n ? '-' : wasNegative ? '+' : '';
    parts.push(`${sign}${clockText((nanoseconds < 0n ? -nanoseconds : nanoseconds) / 1000n)}`);
  }
  return parts.join(' ');
}

function listText(field: Field, item: Field, values: readonly unknown[]): string {
  const name = field.metadata.get('POSTGRESQL:type') ?? '';
  if (name.endsWith('vector')) return values.join(' ');
  const isMultirange = name.endsWith('multirange');
  const delimiter = item.metadata.get('POSTGRESQL:type') === 'box' ? ';' : ',';
  const texts = values.map((value) => {
    if (value === null) return 'NULL';
    const text = serverText(item, value, true);
    if (isMultirange || isInnerList(item)) return text;
    const mustQuote = text === '' || /^null$/i.test(text) || /[{}"\\\s]/.test(text) || text.includes(delimiter);
    return mustQuote ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : text;
  });
  return `{${texts.join(delimiter)}}`;
}

/** Whether it is the next dimension of the same array, and no list that is an element. */
function isInnerList(item: Field): boolean {
  return item.type.kind === 'list' && !item.metadata.has('POSTGRESQL:type');
}

function structText(children: readonly Field[], value: Record<string, unknown>): string {
  const [first, second] = children;
  if (first?.name === 'x') return `(${children.map((child) => serverText(child, value[child.name])).join(',')})`;
  if (first?.name === 'lower' && second?.name === 'upper') {
    if (value.empty) return 'empty';
    const bound = (child: Field): string =>
      value[child.name] === null ? '' : quoteMember(serverText(child, value[child.name], true));
    return `${value.lower_inc ? '[' : '('}${bound(first)},${bound(second)}${value.upper_inc ? ']' : ')'}`;
  }
  return `(${children
    .map((child) => {
      const member = value[child.name];
      return member === null ? '' : quoteMember(serverText(child, member, true));
    })
    .join(',')})`;
}

function quoteMember(text: string): string {
  const mustQuote = text === '' || /[()[\],"\\\s]/.test(text);
  return mustQuote ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '""')}"` : text;
}
