import { extensionField } from '../extension.ts';
import { Field, type FieldOptions } from '../schema.ts';
import { dateText, timeText, unitsPerSecond } from '../temporal.ts';
import type { DataType, TimeUnit } from '../type.ts';
import { int16, struct, timestamp } from '../type-factory.ts';
import type { ValueOptions } from '../value.ts';
import { defineExtension, type ExtensionType } from './define.ts';
import { expectEmpty } from './parameter.ts';

/** An instant, and how far the clock it was read from is from UTC. */
export interface TimestampWithOffset {
  /** Count since the epoch, in UTC, in the unit of the field. */
  readonly timestamp: bigint;
  /** East of UTC, from −779 to 780. */
  readonly offsetMinutes: number;
}

/**
 * `arrow.timestamp_with_offset` over a struct of a timestamp in UTC and minutes. Values are {@link TimestampWithOffset}; with
 * `temporal: 'text'` the local time by RFC 3339, `2025-01-01T00:00:00.000000001-07:00`. A builder takes the former.
 */
export const timestampWithOffsetExtension: ExtensionType<
  TimestampWithOffset | string | null,
  { readonly unit: TimeUnit }
> = /* @__PURE__ */ defineExtension<TimestampWithOffset | string | null, { readonly unit: TimeUnit }>({
  name: 'arrow.timestamp_with_offset',
  storage: (type) => unitOf(type) !== undefined,
  deserialize(metadata, storage) {
    expectEmpty(metadata);
    return { unit: unitOf(storage) ?? 's' };
  },
  decode(value, { unit }, { temporal }: ValueOptions) {
    // Null children are allowed: a null timestamp makes the whole null, a null offset stands for UTC.
    const { timestamp, offset_minutes: minutes } = value as { timestamp: bigint | null; offset_minutes: number | null };
    if (timestamp === null) return null;
    const offsetMinutes = minutes ?? 0;
    if (offsetMinutes < -779 || offsetMinutes > 780) throw new RangeError(`${offsetMinutes} minutes are no offset`);
    return temporal === 'text' ? offsetText(timestamp, offsetMinutes, unit) : { timestamp, offsetMinutes };
  },
  encode(value) {
    if (value === null || typeof value !== 'object') throw new TypeError('is no object of timestamp and offsetMinutes');
    const { timestamp, offsetMinutes } = value;
    return { timestamp, offset_minutes: offsetMinutes };
  },
});

/** A field of `arrow.timestamp_with_offset`, which counts in `unit`. */
export function timestampWithOffsetField(name: string, unit: TimeUnit, options?: FieldOptions): Field {
  const storage = struct([
    new Field('timestamp', timestamp(unit, 'UTC'), { nullable: false }),
    new Field('offset_minutes', int16(), { nullable: false }),
  ]);
  return extensionField(name, storage, { name: 'arrow.timestamp_with_offset', metadata: '' }, options);
}

function unitOf(type: DataType): TimeUnit | undefined {
  if (type.kind !== 'struct' || type.children.length !== 2) return undefined;
  const [time, offset] = type.children;
  if (time?.name !== 'timestamp' || time.type.kind !== 'timestamp' || time.type.timezone !== 'UTC') return undefined;
  return offset?.name === 'offset_minutes' && isInt16(offset.type) ? time.type.unit : undefined;
}

/** The offsets may be encoded by a dictionary or by runs. */
function isInt16(type: DataType): boolean {
  if (type.kind === 'dictionary') return isInt16(type.value);
  if (type.kind === 'int') return type.bitWidth === 16 && type.signed;
  return type.kind === 'run-end-encoded';
}

function offsetText(timestamp: bigint, offsetMinutes: number, unit: TimeUnit): string {
  const perDay = 86_400n * BigInt(unitsPerSecond[unit]);
  const local = timestamp + BigInt(offsetMinutes * 60 * unitsPerSecond[unit]);
  const inDay = ((local % perDay) + perDay) % perDay;
  const days = Number((local - inDay) / perDay);
  if (Math.abs(days) >= 2 ** 31) throw new RangeError(`${timestamp} lies outside of the calendar`);
  const perSecond = BigInt(unitsPerSecond[unit]);
  const time = timeText(Number(inDay / perSecond), Number(inDay % perSecond), unitsPerSecond[unit]);
  return `${dateText(days, true)}T${time}${zoneText(offsetMinutes)}`;
}

function zoneText(minutes: number): string {
  if (minutes === 0) return 'Z';
  const magnitude = Math.abs(minutes);
  const pair = (value: number): string => `${value}`.padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pair(Math.floor(magnitude / 60))}:${pair(magnitude % 60)}`;
}
