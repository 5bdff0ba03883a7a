import { after } from 'node:test';
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import type { RecordBatch } from '../../../../src/arrow/batch.ts';
import type { Schema } from '../../../../src/arrow/schema.ts';
import { newCost } from '../../../../src/delivery/cost.ts';
import { loadBinding } from '../../../../src/driver/duckdb/binding.ts';
import type { NativeConnection } from '../../../../src/driver/duckdb/read/native.ts';
import { type BatchStream, createBatchStream, type StreamSource } from '../../../../src/driver/duckdb/stream.ts';

export const binding = loadBinding();

/** The bindings with some functions replaced; theirs are neither enumerable nor writable. */
export function spyOn(replaced: Partial<typeof binding>): typeof binding {
  return Object.create(binding, Object.getOwnPropertyDescriptors(replaced)) as typeof binding;
}

/** A batch limit that cuts nothing but what a test wants cut. */
export const wide: StreamSource['limit'] = { maxRows: 1 << 20, maxBytes: 1 << 28, firstRows: 1 << 20 };

/** An in-memory database with two sessions: ours, by the raw bindings, and the official API's. */
export interface Session {
  readonly connection: NativeConnection;
  readonly official: DuckDBConnection;
  /** Starts a statement, streamed unless `materialised`. */
  stream(sql: string, options?: Partial<StreamSource> & { materialised?: boolean }): Promise<BatchStream>;
  /** All batches of a statement. */
  read(
    sql: string,
    options?: Partial<StreamSource> & { materialised?: boolean },
  ): Promise<{ schema: Schema; batches: RecordBatch[] }>;
  /** The same columns by the official API. */
  columns(sql: string): Promise<readonly (readonly DuckDBValue[])[]>;
}

export async function openSession(): Promise<Session> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const official = await instance.connect();
  const raw = await instance.connect();
  // The official connection keeps the native one in a field: both sessions see one database.
  const { connection } = raw as unknown as { connection: NativeConnection };
  await official.run("set timezone = 'UTC'");
  await raw.run("set timezone = 'UTC'");
  after(() => {
    raw.closeSync();
    official.closeSync();
    instance.closeSync();
  });
  const stream: Session['stream'] = async (sql, { materialised = false, ...options } = {}) => {
    const prepared = await binding.prepare(connection, sql);
    const result = await (materialised
      ? binding.execute_prepared(prepared)
      : binding.execute_prepared_streaming(prepared));
    const { signal } = new AbortController();
    return createBatchStream({ binding, connection, result, limit: wide, cost: newCost(), signal, ...options });
  };
  return {
    connection,
    official,
    stream,
    async read(sql, options) {
      const { schema, batches } = await stream(sql, options);
      return { schema, batches: await collect(batches) };
    },
    async columns(sql) {
      const reader = await official.runAndReadAll(sql);
      return reader.getColumns();
    },
  };
}

export async function collect(batches: AsyncIterator<RecordBatch, undefined>): Promise<RecordBatch[]> {
  const all: RecordBatch[] = [];
  for (;;) {
    const { done, value } = await batches.next();
    if (done) return all;
    all.push(value);
  }
}
