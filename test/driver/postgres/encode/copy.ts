import pg from 'pg';
import type { RecordBatch, Schema, Table } from 'recurve/arrow';
import { builtin, numericOf } from '../../../../src/driver/postgres/encode/builtin.ts';
import { defaultType } from '../../../../src/driver/postgres/encode/default-type.ts';
import { Output } from '../../../../src/driver/postgres/encode/output.ts';
import type { TargetType } from '../../../../src/driver/postgres/encode/target.ts';
import { copyHeader, copyTrailer, TupleEncoder } from '../../../../src/driver/postgres/encode/tuple-encoder.ts';

export { builtin, numericOf };

/** All of COPY's binary form, cut as `pieceBytes` has it. */
export function encodeCopy(
  schema: Schema,
  batches: readonly RecordBatch[],
  targets: readonly TargetType[],
  pieceBytes = 4096,
): Uint8Array[] {
  const encoder = new TupleEncoder(schema as never, targets);
  const pieces: Uint8Array[] = [copyHeader];
  for (const batch of batches) {
    encoder.start(batch as never);
    while (!encoder.isDone) {
      const out = new Output(pieceBytes);
      const end = encoder.fill(out, 0);
      pieces.push(...(end === 0 ? encoder.takeLong() : [out.bytes.subarray(0, end)]));
    }
  }
  pieces.push(copyTrailer);
  return pieces;
}

/** The types that a table's columns have where nothing else is said. */
export function defaultTypes(schema: Schema): TargetType[] {
  return schema.fields.map((field) => defaultType(field as never, JSON.stringify(field.name)));
}

/** What `pg` hands a query that does its own talking. */
interface CopyConnection {
  query(sql: string): void;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}

/** Runs COPY … FROM STDIN with these bytes. */
function copyFrom(client: pg.Client, sql: string, pieces: readonly Uint8Array[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const query = {
      submit(connection: CopyConnection) {
        connection.query(sql);
      },
      handleCopyInResponse(connection: CopyConnection) {
        for (const piece of pieces) connection.sendCopyFromChunk(Buffer.from(piece));
        connection.endCopyFrom();
      },
      handleCommandComplete() {},
      handleError(error: Error) {
        failure = error;
        reject(error);
      },
      handleReadyForQuery() {
        if (failure === undefined) resolve();
      },
    };
    client.query(query as unknown as pg.Submittable);
  });
}

/** The texts that the server makes of what was copied into columns of these types, row by row. */
export async function copiedTexts(
  client: pg.Client,
  table: Table,
  targets: readonly TargetType[] = defaultTypes(table.schema),
  pieceBytes?: number,
): Promise<(string | null)[][]> {
  const columns = targets.map((target, i) => `c${i} ${target.text}`);
  await client.query(`DROP TABLE IF EXISTS copied; CREATE TEMP TABLE copied (n serial, ${columns.join(', ')})`);
  const names = targets.map((_, i) => `c${i}`);
  await copyFrom(
    client,
    `COPY copied (${names.join(', ')}) FROM STDIN (FORMAT binary)`,
    encodeCopy(table.schema, table.batches, targets, pieceBytes),
  );
  const texts = names.map((name) => `${name}::text`);
  const { rows } = await client.query({ text: `SELECT ${texts.join(', ')} FROM copied ORDER BY n`, rowMode: 'array' });
  return rows;
}

/** A connection in which values look alike everywhere. */
export async function connectPlain(uri: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: uri });
  await client.connect();
  await client.query(`SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'iso_8601'`);
  return client;
}
