import { writeBox, writeCircle, writeLine, writePath, writePolygon, writeSegment } from './geometry.ts';
import { writeAddress } from './inet.ts';
import type { Source } from './source.ts';
import { writeQuery, writeVector } from './text-search.ts';
import type { TextWriter } from './written-text.ts';

/** What writes the text of a type: see {@link typeWriters}. */
export type WriterName =
  | 'char'
  | 'timetz'
  | 'inet'
  | 'macaddr'
  | 'bit'
  | 'tid'
  | 'line'
  | 'lseg'
  | 'box'
  | 'path'
  | 'polygon'
  | 'circle'
  | 'tsvector'
  | 'tsquery'
  | 'pg_snapshot';

function checkLength(source: Source, place: number, length: number, wanted: number, path: string): void {
  if (length !== wanted) throw source.fault(path, place, `a value of ${length} bytes, its type has ${wanted}`);
}

/** A byte above ASCII as octal, as PostgreSQL prints it from version 16 on; zero is the empty text. */
const writeChar: TextWriter = (source, place, length, path) => {
  checkLength(source, place, length, 1, path);
  const byte = source.bytes[place] ?? 0;
  if (byte === 0) return '';
  return byte < 0x80 ? String.fromCharCode(byte) : `\\${byte.toString(8)}`;
};

const two = (value: number): string => `${value}`.padStart(2, '0');

/** int64 microseconds, int32 seconds west of UTC. */
const writeTimeWithZone: TextWriter = (source, place, length, path) => {
  checkLength(source, place, length, 12, path);
  const { view } = source;
  const micros = view.getInt32(place) * 2 ** 32 + view.getUint32(place + 4);
  const west = view.getInt32(place + 8);
  if (micros < 0 || micros > 86_400_000_000 || Math.abs(west) > 86_400) {
    throw source.fault(path, place, `a time of ${micros} microseconds, ${west} seconds west of UTC`);
  }
  const seconds = Math.floor(micros / 1e6);
  const fraction = micros % 1e6 === 0 ? '' : `.${`${micros % 1e6}`.padStart(6, '0').replace(/0+$/, '')}`;
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const east = Math.abs(west);
  const minutes = east % 3600 === 0 ? '' : `:${two(Math.floor(east / 60) % 60)}`;
  const rest = east % 60 === 0 ? '' : `:${two(east % 60)}`;
  return `${clock}${fraction}${west > 0 ? '-' : '+'}${two(Math.floor(east / 3600))}${minutes}${rest}`;
};

/** 6 or 8 bytes. */
const writeHardwareAddress: TextWriter = (source, place, length, path) => {
  if (length !== 6) checkLength(source, place, length, 8, path);
  const bytes = source.bytes.subarray(place, place + length);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(':');
};

/** int32 number of bits, then bits, the first the highest of its byte. */
const writeBits: TextWriter = (source, place, length, path) => {
  const count = length < 4 ? -1 : source.view.getInt32(place);
  if (count < 0 || length !== 4 + Math.ceil(count / 8))
    throw source.fault(path, place, `${count} bits in ${length} bytes`);
  let text = '';
  for (let i = 4; i < length; i++) text += (source.bytes[place + i] ?? 0).toString(2).padStart(8, '0');
  return text.slice(0, count);
};

/** uint32 block, uint16 offset. */
const writeTupleId: TextWriter = (source, place, length, path) => {
  checkLength(source, place, length, 6, path);
  return `(${source.view.getUint32(place)},${source.view.getUint16(place + 4)})`;
};

/** int32 count, then uint64: the first transaction that runs, the first that has not begun, and those between that run. */
const writeSnapshot: TextWriter = (source, place, length, path) => {
  const { view } = source;
  const count = length < 20 ? -1 : view.getInt32(place);
  if (count < 0 || length !== 20 + 8 * count)
    throw source.fault(path, place, `${count} transactions in ${length} bytes`);
  const running = Array.from({ length: count }, (_, i) => view.getBigUint64(place + 20 + 8 * i));
  return `${view.getBigUint64(place + 4)}:${view.getBigUint64(place + 12)}:${running.join(',')}`;
};

/** What writes the text of a type. */
export const typeWriters: Readonly<Record<WriterName, TextWriter>> = {
  char: writeChar,
  timetz: writeTimeWithZone,
  inet: writeAddress,
  macaddr: writeHardwareAddress,
  bit: writeBits,
  tid: writeTupleId,
  line: writeLine,
  lseg: writeSegment,
  box: writeBox,
  path: writePath,
  polygon: writePolygon,
  circle: writeCircle,
  tsvector: writeVector,
  tsquery: writeQuery,
  pg_snapshot: writeSnapshot,
};
