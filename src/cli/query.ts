import { redactText } from '../adbc/redact.ts';
import type { Result } from '../adbc/result.ts';
import type { Column } from '../arrow/column.ts';
import { batchByteLength } from '../delivery/batch-size.ts';
import type { DeliveryReport } from '../delivery/report.ts';
import { abortable, waitPatiently, withDeadline } from './abort.ts';
import type { Arguments } from './argument.ts';
import { chooseCompression, chooseFormat } from './format/choose.ts';
import type { Format } from './format/index.ts';
import type { ResultWriter } from './format/result-writer.ts';
import { checkStorable } from './format/storable.ts';
import { allowsColor, type CommandIo, print } from './io.ts';
import { type Output, openOutput } from './output.ts';
import { parseParameters } from './parameter.ts';
import { formatCount, type Progress, startProgress } from './progress.ts';
import { type Open, openSource } from './source.ts';
import { readStatement } from './statement.ts';

/** What `recurve query` was asked for. */
interface Request {
  readonly args: Arguments;
  readonly format: Format;
  /** Undefined for standard output. */
  readonly file: string | undefined;
  readonly open: Open;
}

/** `recurve query`: runs one statement and writes its result. `open` opens the source. */
export async function query(args: Arguments, io: CommandIo, open: Open = openSource): Promise<number> {
  const given = args.get('output');
  const file = given === '-' ? undefined : given;
  const format = chooseFormat(args.get('format'), file, { isTerminal: io.stdout.isTerminal });
  chooseCompression(args.get('compression'), format);
  await withDeadline(args, io, (signal) => deliver({ args, format, file, open }, io, signal));
  return 0;
}

async function deliver({ args, format, file, open }: Request, io: CommandIo, signal: AbortSignal): Promise<void> {
  const parameters = parseParameters(args.all('param'));
  const maxRows = args.positive('batch-rows', { whole: true });
  const { uri, sql } = await readStatement(args.operands, args.get('file'), io.stdin, signal);
  const terminal =
    file === undefined && io.stdout.isTerminal
      ? { columns: io.stdout.columns ?? 80, color: allowsColor(io) }
      : undefined;
  const progress = startProgress(io);
  // Before the statement runs, since a path that cannot be written must not cost a long query.
  let output: Output | undefined;
  let report: (() => DeliveryReport) | undefined;
  try {
    output = file === undefined ? undefined : await waitPatiently(openOutput(file, signal), signal);
    const source = await waitPatiently(open(uri, { signal }), signal);
    try {
      const options = { signal, path: args.get('path'), batch: maxRows === undefined ? undefined : { maxRows } };
      const result = await waitPatiently(source.connection.query(sql, parameters, options), signal);
      report = () => result.delivery;
      // A statement without a result writes nothing, in whatever format.
      if (result.schema.fields.length > 0) checkStorable(result.schema, format.name);
      const sink = abortable(output ?? progress.over(io.stdout), signal);
      const writer = await format.open({
        schema: result.schema,
        compression: chooseCompression(args.get('compression'), format),
        sink,
        signal,
        terminal,
      });
      try {
        await waitPatiently(writeAll(result, writer, progress), signal);
      } finally {
        await waitPatiently(Promise.resolve(writer.close?.()), signal);
      }
      await output?.commit();
      if (result.schema.fields.length === 0 && io.stderr.isTerminal) {
        await progress.stop();
        await print(io.stderr, formatChange(result.rowsAffected));
      }
    } finally {
      await waitPatiently(source.close(), signal);
    }
  } finally {
    await progress.stop();
    if (output !== undefined) await waitPatiently(output.discard(), signal).catch(() => {});
    if (report !== undefined && args.has('delivery')) {
      const redacted = (_: string, value: unknown): unknown => (typeof value === 'string' ? redactText(value) : value);
      await print(io.stderr, `${JSON.stringify(report(), redacted)}\n`);
    }
  }
}

/** Writes every batch and the end. Leaving the loop by an error stops the source. */
export async function writeAll(result: Result, writer: ResultWriter, progress: Progress): Promise<void> {
  const dictionaries = new WeakSet<Column>();
  for await (const batch of result) {
    progress.add(batch.numRows, batchByteLength(batch, dictionaries));
    await writer.write(batch);
  }
  await writer.end();
}

/** What there is to say of a statement without a result; −1 where the source does not tell. */
function formatChange(rowsAffected: number): string {
  if (rowsAffected < 0) return 'done\n';
  return `done: ${formatCount(rowsAffected)} ${rowsAffected === 1 ? 'row' : 'rows'} changed\n`;
}
