import type { MessageDecoder } from './decoder.ts';
import { headerType, type Message } from './message.ts';
import { readCodec } from './record-batch.ts';

/**
 * Loads the codec that a message's body needs, unless the reader was given codecs; to be awaited before it is decoded. A
 * function, so that bundles of synchronous readers alone know of no codec.
 */
export async function loadCodecOf(
  { headerType: type, flatbuffer, header }: Message,
  { codecs }: MessageDecoder,
): Promise<void> {
  const isDictionary = type === headerType.dictionaryBatch;
  if (codecs.known !== undefined || !(isDictionary || type === headerType.recordBatch)) return;
  const table = isDictionary ? flatbuffer.table(header, 1) : header;
  if (table !== 0 && readCodec(flatbuffer, table) !== null) codecs.known = await (await import('#codec')).loadCodecs();
}
