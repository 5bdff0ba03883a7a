import type { ByteSource } from '../ipc/byte-queue.ts';
import type { DecodeOptions } from '../ipc/decoder.ts';
import * as plainFile from '../ipc/file-reader.ts';
import * as plainStream from '../ipc/stream-reader.ts';
import * as plainTable from '../ipc/table.ts';
import type { Table } from '../table.ts';
import { columnCheck } from './batch.ts';
import type { ValidationLevel } from './column.ts';

/** How IPC is read. */
export interface ReadOptions extends Omit<DecodeOptions, 'check'> {
  /**
   * How closely each batch and dictionary is looked at before it is handed out. Default `full`: what is read afterwards is
   * right and safe, wherever the bytes came from. Bytes of one's own may do with `none`, where a fault shows as a wrong
   * value.
   */
  readonly validate?: ValidationLevel | undefined;
}

/** How a stream is read. */
export interface StreamReadOptions extends Omit<plainStream.StreamReadOptions, 'check'>, ReadOptions {}

/** The options of the lean readers that do what these say. */
function withCheck<O extends ReadOptions>({ validate = 'full', ...options }: O): Omit<O, 'validate'> & DecodeOptions {
  return { ...options, check: columnCheck(validate) };
}

/** `tableFromIPC` of the lean entry, validated: see {@link ReadOptions}. */
export function tableFromIPC(input: Uint8Array | ArrayBuffer, options: ReadOptions = {}): Table {
  return plainTable.tableFromIPC(input, withCheck(options));
}

/** A reader of the lean entry: only how it is opened differs, by {@link ReadOptions}. */
export type StreamReader = plainStream.StreamReader;
export const StreamReader: {
  from(source: ByteSource, options?: StreamReadOptions): Promise<StreamReader>;
} = {
  from: (source, options = {}) => plainStream.StreamReader.from(source, withCheck(options)),
};

/** A reader of the lean entry: only how it is opened differs, by {@link ReadOptions}. */
export type FileReader = plainFile.FileReader;
export const FileReader: {
  open(input: Uint8Array | ArrayBuffer, options?: ReadOptions): FileReader;
} = {
  open: (input, options = {}) => plainFile.FileReader.open(input, withCheck(options)),
};

/** A reader of the lean entry: only how it is opened differs, by {@link ReadOptions}. */
export type FileRangeReader = plainFile.FileRangeReader;
export const FileRangeReader: {
  open(source: plainFile.ByteRangeSource, options?: StreamReadOptions): Promise<FileRangeReader>;
} = {
  open: (source, options = {}) => plainFile.FileRangeReader.open(source, withCheck(options)),
};
