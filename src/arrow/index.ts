export { RecurveError, type RecurveErrorOptions } from '../error.ts';
export { type Status, statusCodes } from '../status.ts';
export { RecordBatch } from './batch.ts';
export {
  batchFromArrays,
  batchFromRows,
  type ColumnArrays,
  tableFromArrays,
  tableFromRows,
} from './build/batch.ts';
export type { Builder } from './build/builder.ts';
export { inferField } from './build/infer.ts';
export { type BuildOptions, makeBuilder } from './build/make.ts';
export type { UnionValue } from './build/union.ts';
export { ChunkedColumn } from './chunked-column.ts';
export type { DayTime, MonthDayNano } from './column/interval.ts';
export { makeColumn } from './column/make.ts';
export { Column, type ColumnLayout, type Values } from './column.ts';
export { concatBatches, concatTables } from './concat.ts';
export { canonicalExtensions } from './extension/canonical.ts';
export { defineExtension, type ExtensionDefinition, type ExtensionType } from './extension/define.ts';
export type { TensorAxes } from './extension/parameter.ts';
export {
  bool8Extension,
  bool8Field,
  jsonExtension,
  jsonField,
  type OpaqueParameters,
  opaqueExtension,
  uuidExtension,
} from './extension/scalar.ts';
export {
  type FixedShapeTensorParameters,
  fixedShapeTensorExtension,
  fixedShapeTensorField,
  type TensorValue,
  type VariableShapeTensorParameters,
  variableShapeTensorExtension,
  variableShapeTensorField,
} from './extension/tensor.ts';
export {
  type TimestampWithOffset,
  timestampWithOffsetExtension,
  timestampWithOffsetField,
} from './extension/timestamp.ts';
export { parquetVariantExtension, parquetVariantField } from './extension/variant.ts';
export { readVariant } from './extension/variant-value.ts';
export { type Extension, extensionField, extensionOf, opaqueField, uuidField } from './extension.ts';
export type { GridOptions } from './grid.ts';
export type { ByteSink, NodeWritable } from './ipc/byte-sink.ts';
export type { ByteSource } from './ipc/byte-source.ts';
export { type CompactOptions, compact } from './ipc/compact.ts';
export type { Codec, CodecName, CompressOptions, DecompressOptions } from './ipc/compression.ts';
export { dictionaryMetadata } from './ipc/dictionary.ts';
export type { LayoutOptions } from './ipc/encoder.ts';
export type { ByteRangeSource } from './ipc/file-range-reader.ts';
export { type FileWriteOptions, FileWriter } from './ipc/file-writer.ts';
export type { HttpFetch, HttpResponse } from './ipc/http-file.ts';
export type { ColumnKeys } from './ipc/projection.ts';
export { type MessageWriteOptions, type StreamWriteOptions, StreamWriter } from './ipc/stream-writer.ts';
export {
  type BatchesOfSchema,
  type ResidentBytes,
  type TableWriteOptions,
  tableToIPC,
} from './ipc/table.ts';
export { readTensor, readTensors, type TensorWriteOptions, writeTensor } from './ipc/tensor.ts';
export type * from './ipc/tensor-type.ts';
export {
  type BatchMessage,
  type ColumnMessage,
  fromTransferable,
  type Transferable,
  type TransferOptions,
  toTransferable,
} from './ipc/transfer.ts';
export { unifyDictionaries } from './ipc/unify-dictionaries.ts';
export {
  type BatchInput,
  type EncodeOptions,
  encodeBatches,
  encodeTransform,
  streamBatches,
  type WriteOptions,
  writeBatches,
} from './ipc/write-stream.ts';
export { type JsonReader, jsonReader } from './json.ts';
export { Metadata, type MetadataEntry, type MetadataInput } from './metadata.ts';
export type { Row } from './row.ts';
export { rowNames } from './row-name.ts';
export type { ListValue, RowOf, Typed, ValueOf } from './row-type.ts';
export { Field, type FieldOptions, Schema } from './schema.ts';
export { Table } from './table.ts';
export { tableToText } from './table-text.ts';
export { type TextReader, textReader } from './text.ts';
export type * from './type.ts';
export { childFields, typeEquals, typeToString } from './type.ts';
export {
  binary,
  binaryView,
  bool,
  type DictionaryOptions,
  date32,
  date64,
  decimal32,
  decimal64,
  decimal128,
  decimal256,
  dictionary,
  duration,
  field,
  fixedSizeBinary,
  fixedSizeList,
  float16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  interval,
  largeBinary,
  largeList,
  largeListView,
  largeUtf8,
  list,
  listView,
  map,
  nullType,
  runEndEncoded,
  schemaOf,
  struct,
  time32,
  time64,
  timestamp,
  uint8,
  uint16,
  uint32,
  uint64,
  union,
  utf8,
  utf8View,
} from './type-factory.ts';
export { validateBatch } from './validate/batch.ts';
export type { ValidationLevel } from './validate/column.ts';
export {
  FileRangeReader,
  FileReader,
  type HttpReadOptions,
  openArrowUrl,
  type ReadOptions,
  StreamDecoder,
  StreamReader,
  type StreamReadOptions,
  tableFromIPC,
  tablesFromIPC,
} from './validate/reader.ts';
export { convertColumn, type ReadContext, type ValueExtension, type ValueOptions } from './value.ts';
export { ArrayView, ColumnView, type TableView, viewColumn, viewRows, viewTable } from './view.ts';
