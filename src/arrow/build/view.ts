import { inlineBytes } from '../column/view.ts';
import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import { BinaryBuilder } from './binary.ts';
import { Builder } from './builder.ts';
import { TextBuilder } from './text.ts';

/** Text and bytes behind views, from what columns with offsets take. */
export class ViewBuilder extends Builder {
  readonly #bytes: Builder;

  constructor(field: Field, kind: 'utf8' | 'binary', parent?: Builder) {
    super(field, parent);
    this.#bytes =
      kind === 'utf8'
        ? new TextBuilder(field, { kind, large: false }, parent)
        : new BinaryBuilder(field, { kind, large: false }, parent);
  }

  protected write(value: NonNullable<unknown>): void {
    this.#bytes.append(value);
  }

  protected writeNull(): void {
    this.#bytes.skip();
  }

  override truncate(length: number): void {
    super.truncate(length);
    this.#bytes.truncate(this.length);
  }

  protected take(length: number): Partial<ColumnLayout> {
    const { offsets, data = new Uint8Array(0) } = this.#bytes.takeLayout();
    const values = new Int32Array(4 * length);
    const bytes = new Uint8Array(values.buffer);
    const kept = new Uint8Array(data.length);
    let at = 0;
    for (let i = 0; i < length; i++) {
      const start = Number(offsets?.[i]);
      const end = Number(offsets?.[i + 1]);
      values[4 * i] = end - start;
      // A longer value's first 4 bytes stand in the view too, as a prefix to compare by.
      bytes.set(data.subarray(start, end - start <= inlineBytes ? end : start + 4), 16 * i + 4);
      if (end - start > inlineBytes) {
        kept.set(data.subarray(start, end), at);
        values[4 * i + 3] = at;
        at += end - start;
      }
    }
    return { values, buffers: at === 0 ? [] : [kept.subarray(0, at)] };
  }

  protected bytesOf(length: number): number {
    return 16 * length + this.#bytes.byteLength;
  }
}
