import { RecordBatch as PlainBatch } from './plain-batch.ts';
import { type BlockReader, blockReader } from './row-maker.ts';
import { convertColumn, type ValueOptions } from './value.ts';

/** A record batch: a schema and columns of the same length. */
export class RecordBatch extends PlainBatch {
  /** Reads the columns in blocks of rows, as options want their values. `firstRow` is the batch's place in its table, for errors. */
  override blockReaders(options?: ValueOptions, firstRow = 0): BlockReader[] {
    return this.columns.map((column, c) => {
      const field = this.schema.fields[c];
      const convert = options && field ? convertColumn(field, column, options, firstRow) : null;
      if (convert === null) return blockReader(column);
      const scratch: unknown[] = [];
      return (start, end) => {
        for (let i = start; i < end; i++) scratch[i - start] = convert(i);
        return scratch;
      };
    });
  }
}
