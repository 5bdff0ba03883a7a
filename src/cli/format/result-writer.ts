import type { RecordBatch } from '../../arrow/batch.ts';
import type { CodecName } from '../../arrow/ipc/compression.ts';
import type { Metadata } from '../../arrow/metadata.ts';
import type { Schema } from '../../arrow/schema.ts';
import type { Sink } from '../io.ts';

/** Turns a result into the bytes of one format. Its calls never overlap. */
export interface ResultWriter {
  /** Resolves when the sink has room for more. */
  write(batch: RecordBatch): Promise<void>;
  /** Writes what completes the result. Without it nothing says that the result is whole. */
  end(): Promise<void>;
  /** Lets go of what the writer holds besides memory, also when the result was not written to its end. */
  close?(): Promise<void>;
}

/** What a writer needs to know. */
export interface WriterTarget {
  readonly schema: Schema;
  readonly sink: Sink;
  /** `custom_metadata` for the footer of an Arrow file; the other formats have no place for it. */
  readonly footerMetadata?: Metadata | undefined;
  /** What the bodies of Arrow files and streams are compressed with; the other formats have no place for it. */
  readonly compression?: CodecName | undefined;
  /** When it fires, what the writer runs itself stops. */
  readonly signal: AbortSignal;
  /** Present when people read along on a terminal. */
  readonly terminal?: { readonly columns: number; readonly color: boolean } | undefined;
}
