import type { ByteSource } from '../ipc/byte-source.ts';
import type { DecodeOptions } from '../ipc/decoder.ts';
import { readExtras } from '../ipc/extras.ts';
import * as plainRange from '../ipc/file-range-reader.ts';
import * as plainFile from '../ipc/file-reader.ts';
import * as plainHttp from '../ipc/http-file.ts';
import * as plainDecoder from '../ipc/stream-decoder.ts';
import * as plainStream from '../ipc/stream-reader.ts';
import * as plainTable from '../ipc/table.ts';
import type { Table } from '../table.ts';
import { columnCheck } from './batch.ts';
import type { ValidationLevel } from './column.ts';

/** How IPC is read. */
export interface ReadOptions extends Omit<DecodeOptions, 'check' | 'extras'> {
  /**
   * How closely each batch and dictionary is looked at before it is handed out. Default `full`: what is read afterwards is
   * right and safe, wherever the bytes came from. Bytes of one's own may do with `none`, where a fault shows as a wrong
   * value.
   */
  readonly validate?: ValidationLevel | undefined;
}

/** How a stream is read. */
export interface StreamReadOptions extends Omit<plainStream.StreamReadOptions, 'check' | 'extras'>, ReadOptions {}

/** The options of the lean readers that do what these say. */
function withCheck<O extends ReadOptions>({ validate = 'full', ...options }: O): Omit<O, 'validate'> & DecodeOptions {
  return { ...options, check: columnCheck(validate), extras: readExtras };
}

/** `tableFromIPC` of the lean entry, validated: see {@link ReadOptions}. */
export function tableFromIPC(input: plainTable.ResidentBytes, options: ReadOptions = {}): Table {
  return plainTable.tableFromIPC(input, withCheck(options));
}

/** `tablesFromIPC` of the lean entry, validated: see {@link ReadOptions}. */
export function tablesFromIPC(input: plainTable.ResidentBytes, options: ReadOptions = {}): Table[] {
  return plainTable.tablesFromIPC(input, withCheck(options));
}

/** How a file behind a URL is read. */
export interface HttpReadOptions extends Omit<plainHttp.HttpReadOptions, 'check' | 'extras'>, ReadOptions {}

/** `openArrowUrl` of the lean entry, validated: see {@link ReadOptions}. */
export function openArrowUrl(
  url: string | URL,
  options: HttpReadOptions = {},
): Promise<plainRange.FileRangeReader | plainStream.StreamReader> {
  return plainHttp.openArrowUrl(url, withCheck(options));
}

/** A reader of the lean entry: only how it is opened differs, by {@link ReadOptions}. */
export type StreamReader = plainStream.StreamReader;
export const StreamReader: {
  from(source: ByteSource, options?: StreamReadOptions): Promise<StreamReader>;
  all(source: ByteSource, options?: StreamReadOptions): AsyncGenerator<StreamReader, void, undefined>;
  [Symbol.hasInstance](value: unknown): value is StreamReader;
} = {
  [Symbol.hasInstance]: (value): value is StreamReader => value instanceof plainStream.StreamReader,
  from: (source, options = {}) => plainStream.StreamReader.from(source, withCheck(options)),
  all: (source, options = {}) => plainStream.StreamReader.all(source, withCheck(options)),
};

/** A decoder of the lean entry: only its options differ, by {@link ReadOptions}. */
export class StreamDecoder extends plainDecoder.StreamDecoder {
  constructor(options: ReadOptions = {}) {
    super(withCheck(options));
  }
}

/** A reader of the lean entry: only how it is opened differs, by {@link ReadOptions}. */
export type FileReader = plainFile.FileReader;
export const FileReader: {
  open(input: Uint8Array | ArrayBuffer, options?: ReadOptions): FileReader;
  [Symbol.hasInstance](value: unknown): value is FileReader;
} = {
  [Symbol.hasInstance]: (value): value is FileReader => value instanceof plainFile.FileReader,
  open: (input, options = {}) => plainFile.FileReader.open(input, withCheck(options)),
};

/** A reader of the lean entry: only how it is opened differs, by {@link ReadOptions}. */
export type FileRangeReader = plainRange.FileRangeReader;
export const FileRangeReader: {
  open(source: plainRange.ByteRangeSource, options?: StreamReadOptions): Promise<FileRangeReader>;
  [Symbol.hasInstance](value: unknown): value is FileRangeReader;
} = {
  [Symbol.hasInstance]: (value): value is FileRangeReader => value instanceof plainRange.FileRangeReader,
  open: (source, options = {}) => plainRange.FileRangeReader.open(source, withCheck(options)),
};
