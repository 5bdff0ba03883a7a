import { MessageChannel } from 'node:worker_threads';

const { port1: sink, port2 } = new MessageChannel();
port2.close();
sink.unref();

/** Frees the memory of a buffer at once: what is transferred to a port whose other end is closed is gone. */
export function freeBuffer({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) sink.postMessage(null, [buffer]);
}
