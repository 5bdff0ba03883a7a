import { RecurveError } from '../../../error.ts';

/** What a decoder reads at the place of a NULL, 0, before it is masked. */
const minByteLength = 16;

const noBytes = new Uint8Array(minByteLength);
const noView = new DataView(noBytes.buffer);
const noStarts = new Int32Array(0);

/** The bytes that rows are read from, and where the rows of the block stand that is being decoded. */
export class Source {
  bytes: Uint8Array = noBytes;
  view: DataView = noView;
  /** Where the rows of the block start. */
  starts: Int32Array = noStarts;
  /** Rows in the block. */
  rowCount = 0;
  /** Of the block's first row, from 0, over all batches. */
  firstRow = 0;
  #given: Uint8Array = noBytes;

  use(given: Uint8Array): void {
    if (given === this.#given && given.length >= minByteLength) return;
    this.#given = given;
    let bytes = given;
    if (given.length < minByteLength) {
      bytes = new Uint8Array(minByteLength);
      bytes.set(given);
    }
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The error of a value at `place` that is not what its type says, or that Arrow cannot hold. */
  fault(path: string, place: number, what: string, hint?: string): RecurveError {
    let row = this.rowCount - 1;
    while (row > 0 && (this.starts[row] ?? 0) > place) row--;
    const byte = place - (this.starts[row] ?? 0);
    const where = `column ${JSON.stringify(path)}, row ${this.firstRow + row}, byte ${byte} of the row`;
    return new RecurveError('INVALID_DATA', `${where}: ${what}`, { hint });
  }
}
