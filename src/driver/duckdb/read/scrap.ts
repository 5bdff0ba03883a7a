import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Smaller copies are left to the garbage collector: giving them back costs more than it saves. */
const minByteLength = 4096;

/**
 * Chunks whose copies are left to the collector before any is given back. Short results gain nothing, and what they leave
 * makes V8 collect in time the native handles, whose memory it does not see.
 */
const spared = 16;

let sink: MessagePort | undefined;

/** A port whose other end is closed: what is transferred to it is detached and freed at once. */
function openSink(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  port1.unref();
  return port1;
}

/**
 * Copies that the bindings made of a chunk and that nobody reads any more. Left alone they are some 70 bytes of external
 * memory a row, for which V8 marks its whole heap again and again. So their memory is given back chunk by chunk, which also
 * keeps it in the processor's cache (`docs/decision/005`).
 */
export class Scrap {
  readonly #buffers: ArrayBuffer[] = [];
  #freed = 0;

  /** Notes a copy that has a buffer of its own; it may be used until {@link Scrap.free}. */
  add(copy: Uint8Array): void {
    const { buffer, byteLength } = copy;
    if (byteLength >= minByteLength && buffer.byteLength === byteLength && buffer instanceof ArrayBuffer) {
      this.#buffers.push(buffer);
    }
  }

  /** Gives back the memory of what was noted, once the stream is long: its views are empty from now on. */
  free(): void {
    if (this.#buffers.length === 0) return;
    if (++this.#freed > spared) {
      sink ??= openSink();
      sink.postMessage(null, this.#buffers);
    }
    this.#buffers.length = 0;
  }
}
