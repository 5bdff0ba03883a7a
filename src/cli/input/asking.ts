import { quoteText } from '../../driver/duckdb/quote.ts';
import type { Source } from '../source.ts';
import type { SeekableFile } from './file.ts';

/** A file, and the connection that answers questions about it. */
export class Asking {
  /** The file's name as an SQL literal that is no pattern. */
  readonly path: string;
  readonly #source: Source;
  readonly #signal: AbortSignal;

  constructor(source: Source, file: SeekableFile, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
    this.path = quoteText(file.path.replaceAll(/[*?[]/g, '[$&]'));
    this.isEmpty = file.size === 0;
  }

  readonly isEmpty: boolean;

  async rows(sql: string): Promise<(readonly unknown[])[]> {
    const result = await this.#source.connection.query(sql, [], { signal: this.#signal });
    const table = await result.table();
    const rows: (readonly unknown[])[] = [];
    for (const batch of table.batches) {
      for (let i = 0; i < batch.numRows; i++) rows.push(batch.columns.map((column) => column.at(i)));
    }
    return rows;
  }

  /** Name and type of each column of a table expression. */
  async describe(relation: string): Promise<{ readonly name: string; readonly type: string }[]> {
    const rows = await this.rows(`describe from ${relation}`);
    return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
  }

  async row(sql: string): Promise<readonly unknown[]> {
    return (await this.rows(sql))[0] ?? [];
  }
}
