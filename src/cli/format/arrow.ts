import type { RecordBatch } from '../../arrow/batch.ts';
import type { CompressOptions } from '../../arrow/ipc/compression.ts';
import { FileWriter } from '../../arrow/ipc/file-writer.ts';
import { StreamWriter } from '../../arrow/ipc/stream-writer.ts';
import type { Sink } from '../io.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { ResultWriter, WriterTarget } from './result-writer.ts';

/** An Arrow IPC file (`.arrow`): readable from any place in it, whole only with its footer. */
export async function openArrowFile(target: WriterTarget): Promise<ResultWriter> {
  const options = { ...(await compressionOf(target)), metadata: target.footerMetadata };
  return openArrow(new FileWriter(target.schema, options), target.sink);
}

/** An Arrow IPC stream (`.arrows`): readable as it comes. */
export async function openArrowStream(target: WriterTarget): Promise<ResultWriter> {
  return openArrow(new StreamWriter(target.schema, await compressionOf(target)), target.sink);
}

async function compressionOf({ compression }: WriterTarget): Promise<CompressOptions> {
  if (compression === undefined) return {};
  return { compression, codecs: await (await import('../../codec/index.ts')).loadCodecs() };
}

/** The two writers give the bytes of the format in pieces that hold until the next call. */
interface IpcWriter {
  start(): Uint8Array[];
  write(batch: RecordBatch): Uint8Array[];
  finish(): Uint8Array[];
}

async function openArrow(writer: IpcWriter, sink: Sink): Promise<ResultWriter> {
  const joined = new ByteBuffer(joinBytes * 2);
  await writePieces(sink, writer.start(), joined);
  let isWhole = false;
  return {
    write: (batch) => writePieces(sink, writer.write(batch), joined),
    end: async () => {
      await writePieces(sink, writer.finish(), joined);
      isWhole = true;
    },
    close: async () => {
      // The failure that led here is what the user is told.
      if (!isWhole) await sink.write(cutMessage).catch(() => {});
    },
  };
}

/**
 * A message that is cut off: continuation marker, a metadata length of 4 KiB, and 8 bytes of metadata, without which
 * apache-arrow takes it for the end. A stream that just stops between two messages is complete to many readers.
 */
const cutMessage = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x00, 0x10, 0x00, 0x00, 0, 0, 0, 0, 0, 0, 0, 0);

/** Pieces below this are copied together, since a system call costs more than the copy. */
const joinBytes = 128 * 1024;

async function writePieces(sink: Sink, pieces: readonly Uint8Array[], joined: ByteBuffer): Promise<void> {
  for (const piece of pieces) {
    if (piece.length < joinBytes) joined.writeBytes(piece);
    if (joined.length > 0 && (piece.length >= joinBytes || joined.length >= joinBytes)) await sink.write(joined.take());
    if (piece.length >= joinBytes) await sink.write(piece);
  }
  if (joined.length > 0) await sink.write(joined.take());
}
