import assert from 'node:assert/strict';
import { RecurveError } from 'recurve';
import { type Column, type RecordBatch, validateBatch } from 'recurve/arrow';
import type { PgColumnInput } from '../../../../src/driver/postgres/decode/column-input.ts';
import {
  type PgBinaryOptions,
  type PgBinarySource,
  pgBinaryToArrow,
} from '../../../../src/driver/postgres/decode/copy-file.ts';

/** Big-endian numbers, texts and bytes, one after the other, as the manual writes layouts. */
export function wire(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))));
}

function written(byteLength: number, write: (view: DataView) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(byteLength));
  write(view);
  return new Uint8Array(view.buffer);
}

export const int8 = (value: number): Uint8Array => written(1, (view) => view.setInt8(0, value));
export const int16 = (value: number): Uint8Array => written(2, (view) => view.setInt16(0, value));
export const int32 = (value: number): Uint8Array => written(4, (view) => view.setInt32(0, value));
export const int64 = (value: bigint): Uint8Array => written(8, (view) => view.setBigInt64(0, value));
export const float64 = (value: number): Uint8Array => written(8, (view) => view.setFloat64(0, value));

/** A value behind its length; null is −1. */
export function field(value: Uint8Array | null): Uint8Array {
  return value === null ? int32(-1) : wire(int32(value.length), value);
}

/** A tuple. */
export function tuple(...values: readonly (Uint8Array | null)[]): Uint8Array {
  return wire(int16(values.length), ...values.map(field));
}

export const signature: Uint8Array = Uint8Array.of(0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0);
export const header: Uint8Array = wire(signature, int32(0), int32(0));
export const trailer: Uint8Array = int16(-1);

/** A file of one column, a value a row. */
export function fileOf(...values: readonly (Uint8Array | null)[]): Uint8Array {
  return wire(header, ...values.map((value) => tuple(value)), trailer);
}

/** The whole validity of what was read is checked. */
export async function readAll(
  source: PgBinarySource,
  columns: readonly PgColumnInput[],
  options: PgBinaryOptions = {},
): Promise<RecordBatch[]> {
  const batches: RecordBatch[] = [];
  for await (const batch of pgBinaryToArrow(source, columns, options)) {
    validateBatch(batch, 'full');
    batches.push(batch);
  }
  return batches;
}

/** The values of the one column of a file. */
export async function readColumn(
  type: string,
  values: readonly (Uint8Array | null)[],
  options: PgBinaryOptions = {},
): Promise<unknown[]> {
  const batches = await readAll(fileOf(...values), [{ name: 'a', type }], options);
  return batches.flatMap((batch) => Array.from(batch.column(0) as Column));
}

/** Asserts that it is INVALID_DATA with such a message. */
export async function assertInvalid(work: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(RecurveError.is(error), String(error));
    assert.equal(error.status, 'INVALID_DATA');
    assert.match(error.message, message);
    return true;
  });
}
