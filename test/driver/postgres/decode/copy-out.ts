import type pg from 'pg';

/** What pg calls on a query of its own making; not in its types. */
interface RawConnection {
  query(sql: string): void;
}

/** A statement `COPY … TO STDOUT` for pg, whose data it collects. */
class CopyOut {
  readonly #sql: string;
  readonly #chunks: Uint8Array[] = [];
  readonly #resolve: (bytes: Uint8Array) => void;
  readonly #reject: (error: unknown) => void;

  constructor(sql: string, resolve: (bytes: Uint8Array) => void, reject: (error: unknown) => void) {
    this.#sql = sql;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: RawConnection): void {
    connection.query(this.#sql);
  }

  handleCopyData({ chunk }: { chunk: Uint8Array }): void {
    // The parser overwrites its memory.
    this.#chunks.push(new Uint8Array(chunk));
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(new Uint8Array(Buffer.concat(this.#chunks)));
  }

  handleCommandComplete(): void {}
}

/** The file that `COPY (sql) TO STDOUT (FORMAT binary)` gives. */
export function copyOut(client: pg.Client, sql: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const copy = new CopyOut(`COPY (${sql}) TO STDOUT (FORMAT binary)`, resolve, reject);
    client.query(copy as unknown as pg.Submittable);
  });
}

/** Where the tuples of a file start, and where the last ends. */
function tupleStarts(file: Uint8Array): number[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const starts = [19];
  for (let at = 19; view.getInt16(at) >= 0; starts.push(at)) {
    const count = view.getInt16(at);
    at += 2;
    for (let i = 0; i < count; i++) at += 4 + Math.max(0, view.getInt32(at));
  }
  return starts;
}

/** The messages that carry the rows of a file: as DataRow, or as CopyData, the first with the header, then the end. */
export function toMessages(file: Uint8Array, framing: 'rows' | 'copy'): Uint8Array {
  const starts = tupleStarts(file);
  const pieces: Uint8Array[] = [];
  for (let i = 0; i + 1 < starts.length; i++) {
    const start = i === 0 && framing === 'copy' ? 0 : starts[i];
    pieces.push(message(framing, file.subarray(start, starts[i + 1])));
  }
  if (framing === 'copy') pieces.push(message(framing, file.subarray(starts.length === 1 ? 0 : starts.at(-1))));
  return new Uint8Array(Buffer.concat(pieces));
}

function message(framing: 'rows' | 'copy', body: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(5 + body.length);
  bytes[0] = framing === 'rows' ? 0x44 : 0x64;
  bytes.writeInt32BE(4 + body.length, 1);
  bytes.set(body, 5);
  return bytes;
}
