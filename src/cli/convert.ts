import type { Column } from '../arrow/column.ts';
import type { CodecName } from '../arrow/ipc/compression.ts';
import { batchByteLength } from '../delivery/batch-size.ts';
import { abortable, withDeadline } from './abort.ts';
import type { Arguments } from './argument.ts';
import { usageError } from './failure.ts';
import { chooseCompression, chooseFormat } from './format/choose.ts';
import type { Format } from './format/index.ts';
import { checkStorable, count, leftOut } from './format/storable.ts';
import { type BatchInput, openBatches } from './input/index.ts';
import { allowsColor, type CommandIo, print } from './io.ts';
import { type Output, openOutput } from './output.ts';
import { type Progress, startProgress } from './progress.ts';

/** `recurve convert`: reads a file in one format and writes it in another, batch by batch. */
export async function convert(args: Arguments, io: CommandIo): Promise<number> {
  const [from, to] = args.operands;
  if (from === undefined || to === undefined) {
    throw usageError(
      'IN and OUT are wanted',
      'recurve convert flights.parquet flights.arrow; - is standard input or output',
    );
  }
  const file = to === '-' ? undefined : to;
  if (file === undefined && args.get('format') === undefined) {
    throw usageError('standard output has no suffix that names a format', '-f names it, e.g. -f arrows');
  }
  const format = chooseFormat(args.get('format'), file, { isTerminal: io.stdout.isTerminal });
  const compression = chooseCompression(args.get('compression'), format);
  const progress = startProgress(io);
  try {
    await withDeadline(args, io, async (signal) => {
      const input = await openBatches(from, { from: args.get('from'), stdin: io.stdin, signal });
      try {
        checkStorable(input.schema, format.name);
        await note(input, format, io);
        await write(input, { file, format, compression, progress }, io, signal);
      } finally {
        await input.close();
      }
    });
    return 0;
  } finally {
    await progress.stop();
  }
}

interface Target {
  readonly file: string | undefined;
  readonly format: Format;
  readonly compression: CodecName | undefined;
  readonly progress: Progress;
}

async function write(
  input: BatchInput,
  { file, format, compression, progress }: Target,
  io: CommandIo,
  signal: AbortSignal,
): Promise<void> {
  let output: Output | undefined;
  try {
    output = file === undefined ? undefined : await openOutput(file);
    const writer = await format.open({
      schema: input.schema,
      footerMetadata: input.footerMetadata,
      compression,
      sink: abortable(output ?? progress.over(io.stdout), signal),
      signal,
      terminal:
        file === undefined && io.stdout.isTerminal
          ? { columns: io.stdout.columns ?? 80, color: allowsColor(io) }
          : undefined,
    });
    try {
      const dictionaries = new WeakSet<Column>();
      for await (const batch of input.batches) {
        progress.add(batch.numRows, batchByteLength(batch, dictionaries));
        await writer.write(batch);
      }
      await writer.end();
    } finally {
      await writer.close?.();
    }
    await output?.commit();
  } finally {
    await output?.discard();
  }
}

/** Says what the output has no place for, so that nothing is left out in silence. */
async function note({ footerMetadata, schema }: BatchInput, { name }: Format, io: CommandIo): Promise<void> {
  const left = leftOut(schema, name);
  if (footerMetadata.size > 0 && name !== 'arrow')
    left.unshift(`the footer's metadata (${count(footerMetadata.size)})`);
  if (left.length > 0) await print(io.stderr, `note: ${name} has no place for ${left.join(', ')}\n`);
}
