import type { Column } from '../../arrow/column.ts';

/** Reads the bytes of one value. */
export type BytesReader = (index: number) => Uint8Array;

/** Reads the values of a column of text or bytes, views among them, validity left aside. */
export function bytesReader({ layout }: Column): BytesReader {
  const { values, offsets, data, buffers = [] } = layout;
  if (offsets !== undefined && data !== undefined) {
    return (index) => data.subarray(Number(offsets[index]), Number(offsets[index + 1]));
  }
  const words = values as Int32Array;
  const inline = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  return (index) => {
    const size = words[index * 4] ?? 0;
    if (size <= 12) return inline.subarray(index * 16 + 4, index * 16 + 4 + size);
    const at = words[index * 4 + 3] ?? 0;
    return (buffers[words[index * 4 + 2] ?? 0] ?? inline.subarray(0, 0)).subarray(at, at + size);
  };
}

/** Reads where in the child the values of one list begin and end. */
export function spanReader({ layout }: Column): (index: number) => [start: number, end: number] {
  const { offsets, sizes } = layout;
  return (index) => {
    const start = Number(offsets?.[index]);
    return [start, sizes === undefined ? Number(offsets?.[index + 1]) : start + Number(sizes[index])];
  };
}

/** Reads which run a row is in, and how many rows of the run are left from it on. */
export function runReader({ layout, length }: Column): (index: number) => [run: number, rest: number] {
  const ends = layout.children?.[0]?.layout.values as ArrayLike<number | bigint>;
  const { runOffset = 0 } = layout;
  return (index) => {
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Number(ends[middle]) > runOffset + index) high = middle;
      else low = middle + 1;
    }
    return [low, Math.max(1, Math.min(Number(ends[low]) - runOffset, length) - index)];
  };
}
