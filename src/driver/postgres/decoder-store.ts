import type { DecodeOptions } from './decode/option.ts';
import { RowDecoder, type RowDecoderOptions } from './decode/row-decoder.ts';
import type { PgColumn } from './decode/type.ts';
import { measured } from './result-type.ts';
import type { TypeCatalog } from './type-catalog.ts';

/** What a decoder is for. */
export interface DecoderRequest extends Pick<RowDecoderOptions, 'framing' | 'limit'> {
  readonly columns: readonly PgColumn[];
  /** The same object from one result of a connection to the next. */
  readonly options: DecodeOptions;
}

/** A decoder at work. */
export interface BorrowedDecoder extends DecoderRequest {
  readonly decoder: RowDecoder;
  /** Of the catalog, when it was made. */
  readonly version: number;
}

/**
 * Keeps the decoder of a session's last result. The next result uses it again where it has the same columns, as a query has
 * that is asked again and again; and while it is there, V8 keeps the code that was compiled for decoders.
 */
export class DecoderStore {
  readonly #types: TypeCatalog;
  #kept: BorrowedDecoder | undefined;

  constructor(types: TypeCatalog) {
    this.#types = types;
  }

  /** A decoder that nobody else has. */
  take(request: DecoderRequest): BorrowedDecoder {
    const { columns, options, framing, limit } = request;
    const { version } = this.#types;
    const kept = this.#kept;
    if (kept?.version === version && isAlike(kept, request)) {
      this.#kept = undefined;
      kept.decoder.restart(limit);
      return kept;
    }
    const decoder = new RowDecoder(measured(columns, this.#types), this.#types, { ...options, framing, limit });
    return { ...request, decoder, version };
  }

  /** Takes back a decoder whose result was read to its end, the last batch finished. */
  keep(borrowed: BorrowedDecoder): void {
    // It may be long until the next result: the bytes of this one are not held until then.
    borrowed.decoder.restart(borrowed.limit);
    this.#kept = borrowed;
  }
}

function isAlike(one: DecoderRequest, other: DecoderRequest): boolean {
  if (one.options !== other.options || one.framing !== other.framing) return false;
  return (
    one.columns.length === other.columns.length && one.columns.every((column, i) => isSame(column, other.columns[i]))
  );
}

function isSame(one: PgColumn, other: PgColumn | undefined): boolean {
  return (
    one.name === other?.name &&
    one.oid === other.oid &&
    one.typmod === other.typmod &&
    one.format === other.format &&
    one.tableOid === other.tableOid &&
    one.attributeNumber === other.attributeNumber
  );
}
