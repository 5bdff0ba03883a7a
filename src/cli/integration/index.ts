import { readFile } from 'node:fs/promises';
import type { RecordBatch } from '../../arrow/batch.ts';
import { FileWriter } from '../../arrow/ipc/file-writer.ts';
import { StreamWriter } from '../../arrow/ipc/stream-writer.ts';
import type { Schema } from '../../arrow/schema.ts';
import type { ValidationLevel } from '../../arrow/validate/column.ts';
import { FileReader, StreamReader } from '../../arrow/validate/reader.ts';
import { loadCodecs } from '../../codec/index.ts';
import { RecurveError } from '../../error.ts';
import type { Arguments } from '../argument.ts';
import { usageError } from '../failure.ts';
import type { CommandIo, Sink } from '../io.ts';
import { openOutput } from '../output.ts';
import { findBatchDifference } from './compare-batch.ts';
import { findSchemaDifference } from './compare-schema.ts';
import { type JsonTruth, readJsonTruth } from './json-file.ts';
import { findRuleBreach, readQuirks } from './quirk.ts';

const actions: Readonly<Record<string, (io: CommandIo) => Promise<void>>> = {
  VALIDATE: validate,
  JSON_TO_ARROW: jsonToArrow,
  STREAM_TO_FILE: streamToFile,
  FILE_TO_STREAM: fileToStream,
};

/**
 * `recurve integration`: what Arrow's integration test runner asks of an implementation, by environment variables:
 * `COMMAND`, `ARROW_PATH`, `JSON_PATH` and `QUIRK_<name>=1`. Throws INVALID_DATA where file and JSON differ.
 */
export async function integration(_args: Arguments, io: CommandIo): Promise<number> {
  const { COMMAND: name = '' } = io.env;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) {
    const names = Object.keys(actions).join(', ');
    throw usageError(
      `COMMAND=${JSON.stringify(name)} is none of ${names}`,
      'COMMAND=VALIDATE ARROW_PATH=a.arrow JSON_PATH=a.json recurve integration',
    );
  }
  await action(io);
  return 0;
}

async function validate(io: CommandIo): Promise<void> {
  const rules = readQuirks(io.env);
  const [truth, reader] = [await readTruth(io), await readArrow(io, rules.decimal ? 'full' : 'default')];
  const difference = findDifference(truth, reader);
  if (difference !== null) {
    throw new RecurveError('INVALID_DATA', `the Arrow file differs from the JSON: ${difference}`, { exitCode: 1 });
  }
  for (const [i, batch] of truth.batches.entries()) {
    for (const [position, field] of truth.schema.fields.entries()) {
      const column = batch.columns[position];
      const breach = column === undefined ? null : findRuleBreach(field, column, rules);
      if (breach !== null) throw new RecurveError('INVALID_DATA', `batch ${i}, ${breach}`, { exitCode: 1 });
    }
  }
}

function findDifference(truth: JsonTruth, reader: FileReader): string | null {
  const difference = findSchemaDifference(truth.schema, reader.schema);
  if (difference !== null) return difference;
  if (reader.batchCount !== truth.batches.length) {
    return `${reader.batchCount} batches instead of ${truth.batches.length}`;
  }
  for (const [i, batch] of truth.batches.entries()) {
    const found = findBatchDifference(batch, reader.batch(i), i);
    if (found !== null) return found;
  }
  return null;
}

async function jsonToArrow(io: CommandIo): Promise<void> {
  const { schema, batches } = await readTruth(io);
  await writeFile(io, schema, batches);
}

/** Values are not looked at in between: archery tells of quirks only when it asks for a comparison. */
const rewritten: ValidationLevel = 'default';

async function streamToFile(io: CommandIo): Promise<void> {
  const reader = await StreamReader.from(io.stdin, { signal: io.signal, validate: rewritten });
  await writeFile(io, reader.schema, reader);
}

async function fileToStream(io: CommandIo): Promise<void> {
  const reader = await readArrow(io, rewritten);
  const writer = new StreamWriter(reader.schema);
  for (const batch of reader) await writeAll(io.stdout, writer.write(batch));
  await writeAll(io.stdout, writer.finish());
}

async function writeFile(
  io: CommandIo,
  schema: Schema,
  batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>,
): Promise<void> {
  const output = await openOutput(variable(io, 'ARROW_PATH'), io.signal);
  try {
    const writer = new FileWriter(schema);
    for await (const batch of batches) await writeAll(output, writer.write(batch));
    await writeAll(output, writer.finish());
    await output.commit();
  } finally {
    await output.discard();
  }
}

async function writeAll(sink: Sink, chunks: readonly Uint8Array[]): Promise<void> {
  for (const chunk of chunks) await sink.write(chunk);
}

async function readTruth(io: CommandIo): Promise<JsonTruth> {
  return readJsonTruth(await readFile(variable(io, 'JSON_PATH'), 'utf8'));
}

async function readArrow(io: CommandIo, validate: ValidationLevel): Promise<FileReader> {
  return FileReader.open(await readFile(variable(io, 'ARROW_PATH')), { codecs: await loadCodecs(), validate });
}

function variable({ env }: CommandIo, name: string): string {
  return env[name] || fail(`${name} is not set`);
}

function fail(message: string): never {
  throw usageError(message, 'COMMAND, ARROW_PATH and JSON_PATH stand in the environment');
}
