import { ColumnMemory } from './column-memory.ts';

/** The offsets of a column of text, bytes or lists: 0, then where each value ends. */
export class OffsetMemory {
  readonly #memory: ColumnMemory = new ColumnMemory();

  get byteLength(): number {
    return Math.max(4, this.#memory.length);
  }

  get words(): Int32Array {
    return this.#memory.words;
  }

  expect(count: number): void {
    this.#memory.expect((count + 1) * 4);
  }

  /** Makes room for `count` more, to be written, and gives the position of the first. */
  extend(count: number): number {
    const memory = this.#memory;
    if (memory.length === 0) {
      const at = memory.extend((count + 1) * 4);
      memory.words[at] = 0;
      return 1;
    }
    return memory.extend(count * 4) >>> 2;
  }

  take(): Int32Array {
    if (this.#memory.length === 0) this.extend(0);
    const bytes = this.#memory.take();
    return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  }
}
