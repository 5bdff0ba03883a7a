/**
 * `recurve/arrow/read`: reading for those who count bytes. The readers of `recurve/arrow` without a validator: they never
 * leave the bytes that they were given, but what values say is not looked at. `check` takes a validator of one's own.
 * Left out too, and NOT_IMPLEMENTED here: values by options (`toArray({ temporal: 'date' })`), big-endian bodies, and the
 * `layout` of a dictionary that came in several parts, or not at all. A table's text has no rows.
 */
export { RecurveError, type RecurveErrorOptions } from '../error.ts';
export { type Status, statusCodes } from '../status.ts';
export { ChunkedColumn } from './chunked-column.ts';
export type { DayTime, MonthDayNano } from './column/interval.ts';
export { Column, type ColumnLayout, type Values } from './column.ts';
export type { ByteSource } from './ipc/byte-source.ts';
export type { ColumnCheck, DecodeOptions } from './ipc/decoder.ts';
export type { ReadExtras } from './ipc/extras.ts';
export { type ByteRangeSource, FileRangeReader } from './ipc/file-range-reader.ts';
export { FileReader } from './ipc/file-reader.ts';
export { type HttpFetch, type HttpReadOptions, type HttpResponse, openArrowUrl } from './ipc/http-file.ts';
export type { ColumnKeys } from './ipc/projection.ts';
export { StreamDecoder } from './ipc/stream-decoder.ts';
export { StreamReader, type StreamReadOptions } from './ipc/stream-reader.ts';
export { type ResidentBytes, tableFromIPC, tablesFromIPC } from './ipc/table.ts';
export { Metadata } from './metadata.ts';
export { RecordBatch } from './plain-batch.ts';
export { Table } from './plain-table.ts';
export type { Row } from './row.ts';
export { Field, Schema } from './schema.ts';
export type * from './type.ts';
export { childFields, typeEquals, typeToString } from './type.ts';
export type { ValueOptions } from './value.ts';
