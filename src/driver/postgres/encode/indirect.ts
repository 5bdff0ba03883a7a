import type { DictionaryColumn } from '../../../arrow/column/dictionary.ts';
import type { RunEndEncodedColumn } from '../../../arrow/column/run-end.ts';
import type { Column } from '../../../arrow/column.ts';
import { ValueFault } from './fault.ts';
import { type FieldWriter, grownLength, RowMask } from './field-writer.ts';
import type { Output } from './output.ts';

/** Values of a dictionary, by the writer of its values: each is looked up, none is copied. */
export class DictionaryWriter implements FieldWriter {
  readonly #values: FieldWriter;
  readonly #mask = new RowMask();
  #indices: ArrayLike<number | bigint> = [];
  #dictionary: Column | null = null;
  #positions = new Int32Array(0);

  constructor(values: FieldWriter) {
    this.#values = values;
  }

  bind(column: Column): void {
    const { indices, dictionary } = column as DictionaryColumn;
    this.#mask.bind(column);
    this.#indices = indices;
    // Batches mostly share one, and binding may look at all of its values.
    if (dictionary !== this.#dictionary) this.#values.bind(dictionary);
    this.#dictionary = dictionary;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    const masked = this.#mask.apply(rows, count);
    if (this.#positions.length < count) this.#positions = new Int32Array(grownLength(count));
    const positions = this.#positions;
    const limit = this.#dictionary?.length ?? 0;
    for (let i = 0; i < count; i++) {
      const row = masked[i] ?? -1;
      const position = row < 0 ? -1 : Number(this.#indices[row]);
      if (row >= 0 && !(position >= 0 && position < limit)) {
        throw new ValueFault(i, `the index ${position} is outside of the dictionary of ${limit} values`);
      }
      positions[i] = position;
    }
    this.#values.measure(positions, count, sizes);
  }

  write(out: Output, positions: Int32Array, count: number): void {
    this.#values.write(out, positions, count);
  }

  firstBytes(): Uint8Array | undefined {
    return this.#values.firstBytes?.();
  }
}

/** Values of runs, by the writer of the runs' values. */
export class RunWriter implements FieldWriter {
  readonly #values: FieldWriter;
  #column: RunEndEncodedColumn | null = null;
  #runs = new Int32Array(0);

  constructor(values: FieldWriter) {
    this.#values = values;
  }

  bind(column: Column): void {
    this.#column = column as RunEndEncodedColumn;
    this.#values.bind(this.#column.values);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    if (this.#runs.length < count) this.#runs = new Int32Array(grownLength(count));
    const limit = this.#column?.values.length ?? 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? -1;
      const run = row < 0 ? -1 : (this.#column?.runAt(row) ?? -1);
      if (run >= limit) throw new ValueFault(i, `run ${run} is outside of the ${limit} runs`);
      this.#runs[i] = run;
    }
    this.#values.measure(this.#runs, count, sizes);
  }

  write(out: Output, positions: Int32Array, count: number): void {
    this.#values.write(out, positions, count);
  }

  firstBytes(): Uint8Array | undefined {
    return this.#values.firstBytes?.();
  }
}
