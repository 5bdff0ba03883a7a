import { RecurveError } from '../error.ts';
import type { CallOptions } from './call.ts';
import type { ReadQueryOptions } from './options.ts';
import type { Parameters } from './parameter.ts';
import { type Partitions, readPartition, writePartition } from './partition.ts';
import type { Result } from './result.ts';
import type { Session } from './session.ts';
import type { DriverStatement } from './spi.ts';

/** A prepared statement with its text. */
export interface PreparedText {
  readonly sql: string;
  readonly statement: DriverStatement;
}

/** The one partition of a statement: the statement itself. Throws INVALID_ARGUMENT for one that may change the source. */
export async function makePartitions(
  session: Session,
  { sql, statement }: PreparedText,
  parameters: Parameters,
  options: CallOptions,
): Promise<Partitions> {
  checkReadOnly(statement);
  const partition = writePartition({ driverName: session.driverName, sql, parameters });
  const schema = await session.ask((_driver, call) => statement.description.getSchema(parameters, call), options);
  return { schema, partitions: [partition], rowsAffected: -1 };
}

/** Runs a partition, once it is known to be one of this driver and to change nothing, whoever wrote it. */
export async function openPartition(session: Session, bytes: Uint8Array, options: ReadQueryOptions): Promise<Result> {
  const { sql, parameters } = readPartition(bytes, session.driverName);
  const statement = await session.prepare(sql, options.call);
  try {
    checkReadOnly(statement);
    return await session.query({
      sql,
      // Without an owner: the result stays when the statement is closed.
      start: (_connection, request, call) => statement.run(request, call),
      parameters,
      options,
    });
  } finally {
    await session.closeStatement(statement);
  }
}

function checkReadOnly({ description }: DriverStatement): void {
  if (description.isReadOnly) return;
  throw new RecurveError('INVALID_ARGUMENT', 'the statement may change the source, and a partition may be read twice', {
    hint: 'run it with executeQuery or executeUpdate',
  });
}
