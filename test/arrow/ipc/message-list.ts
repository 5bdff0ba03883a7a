import { MessageHeader } from 'apache-arrow/enum';
import { type DictionaryBatch, Message } from 'apache-arrow/ipc/metadata/message';

/** The messages of a stream, by a foreign reader: where each starts and ends, and what it is. */
export function listMessages(bytes: Uint8Array): { start: number; end: number; name: string }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const messages: { start: number; end: number; name: string }[] = [];
  for (let start = 0; view.getInt32(start, true) === -1; ) {
    const size = view.getInt32(start + 4, true);
    if (size === 0) break;
    const message = Message.decode(bytes.subarray(start + 8, start + 8 + size));
    const end = start + 8 + size + message.bodyLength;
    messages.push({ start, end, name: nameOf(message) });
    start = end;
  }
  return messages;
}

function nameOf(message: Message): string {
  if (message.headerType === MessageHeader.Schema) return 'schema';
  if (message.headerType === MessageHeader.RecordBatch) return 'batch';
  const header = message.header() as DictionaryBatch;
  return `dictionary ${header.id}${header.isDelta ? ' delta' : ''}`;
}

/** The kinds of the messages of a stream or, by the stream in it, of a file. */
export function dictionaryMessages(bytes: Uint8Array): string[] {
  const stream = bytes[0] === 0x41 ? bytes.subarray(8) : bytes;
  return listMessages(stream).map(({ name }) => name);
}

/** The stream without one of its messages. */
export function withoutMessage(bytes: Uint8Array, index: number): Uint8Array {
  const { start = 0, end = 0 } = listMessages(bytes)[index] ?? {};
  return new Uint8Array(Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]));
}
