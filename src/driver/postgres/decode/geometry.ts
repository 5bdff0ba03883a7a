import { floatText } from './float-text.ts';
import type { Source } from './source.ts';
import type { TextWriter } from './written-text.ts';

function point({ view }: Source, at: number): string {
  return `(${floatText(view.getFloat64(at))},${floatText(view.getFloat64(at + 8))})`;
}

/** `count` points from `at` on, which must end at `end`. */
function points(source: Source, at: number, end: number, count: number, path: string): string {
  if (count < 0 || end - at !== 16 * count) throw source.fault(path, at, `${count} points in ${end - at} bytes`);
  return Array.from({ length: count }, (_, i) => point(source, at + 16 * i)).join(',');
}

function numbers(source: Source, place: number, length: number, count: number, path: string): string[] {
  if (length !== 8 * count) throw source.fault(path, place, `a value of ${length} bytes, its type has ${8 * count}`);
  return Array.from({ length: count }, (_, i) => floatText(source.view.getFloat64(place + 8 * i)));
}

export const writeLine: TextWriter = (source, place, length, path) =>
  `{${numbers(source, place, length, 3, path).join(',')}}`;

export const writeSegment: TextWriter = (source, place, length, path) =>
  `[${points(source, place, place + length, 2, path)}]`;

export const writeBox: TextWriter = (source, place, length, path) => points(source, place, place + length, 2, path);

export const writeCircle: TextWriter = (source, place, length, path) => {
  const [x, y, radius] = numbers(source, place, length, 3, path);
  return `<(${x},${y}),${radius}>`;
};

/** A byte that says whether it is closed, int32 count, points. */
export const writePath: TextWriter = (source, place, length, path) => {
  if (length < 5) throw source.fault(path, place, `a path of ${length} bytes`);
  const inner = points(source, place + 5, place + length, source.view.getInt32(place + 1), path);
  return source.bytes[place] === 0 ? `[${inner}]` : `(${inner})`;
};

/** int32 count, points. */
export const writePolygon: TextWriter = (source, place, length, path) => {
  if (length < 4) throw source.fault(path, place, `a polygon of ${length} bytes`);
  return `(${points(source, place + 4, place + length, source.view.getInt32(place), path)})`;
};
