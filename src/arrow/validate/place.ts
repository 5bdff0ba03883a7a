import { RecurveError } from '../../error.ts';

/** Where a column came from and stands, for errors. */
export interface Place {
  /** The message, e.g. `message 3`; empty for a batch that came from none. */
  readonly message: string;
  /** Names from the top, each as JSON, with dots between. */
  readonly path: string;
  /** The bytes that buffers lie in, where there are such. */
  readonly body: Uint8Array | undefined;
}

/** The place of a column inside of another. */
export function placeInside(place: Place, name: string): Place {
  return { ...place, path: `${place.path}.${JSON.stringify(name)}` };
}

/**
 * Throws INVALID_DATA for the value at `row` of a column, counted inside of its parent for a nested one, and for element
 * `index` of the buffer `view`. The byte is one of the message's body; where the buffer is a copy, as one that was
 * compressed or not aligned, it is one of that buffer. `details` have `message`, `column`, `row` and `byte` as text.
 */
export function refuse(place: Place, what: string, row?: number, view?: ArrayBufferView, index = 0): never {
  const { message, path, body } = place;
  let byte: number | undefined;
  let of = '';
  if (view !== undefined) {
    const width = (view as Uint8Array).BYTES_PER_ELEMENT;
    const inPlace = body !== undefined && view.buffer === body.buffer;
    byte = index * width + (inPlace ? view.byteOffset - body.byteOffset : 0);
    of = inPlace ? 'the body' : 'its buffer';
  }
  const text = [
    `column ${path}`,
    ...(row === undefined ? [] : [`row ${row}`]),
    ...(byte === undefined ? [] : [`byte ${byte} of ${of}`]),
  ].join(', ');
  const encoder = new TextEncoder();
  throw new RecurveError('INVALID_DATA', `${message === '' ? '' : `${message}: `}${text}: ${what}`, {
    details: Object.entries({ message, column: path, row, byte }).flatMap(([key, value]) =>
      value === undefined || value === '' ? [] : [[key, encoder.encode(`${value}`)] as const],
    ),
  });
}
