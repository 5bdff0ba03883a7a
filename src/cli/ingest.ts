import type { Connection } from '../adbc/connection.ts';
import type { IngestMode, IngestOptions } from '../adbc/index.ts';
import type { RecordBatch } from '../arrow/batch.ts';
import type { Column } from '../arrow/column.ts';
import { batchByteLength } from '../delivery/batch-size.ts';
import { withDeadline } from './abort.ts';
import type { Arguments } from './argument.ts';
import { usageError } from './failure.ts';
import { nameError } from './input/file.ts';
import { openBatches } from './input/index.ts';
import { type CommandIo, print } from './io.ts';
import { formatCount, formatSeconds, type Progress, startProgress } from './progress.ts';
import { type Open, openSource } from './source.ts';
import { looksLikeUri } from './statement.ts';

/** The modes by their names on the command line. */
const ingestModes: Readonly<Record<string, IngestMode>> = {
  create: 'create',
  append: 'append',
  replace: 'replace',
  'create-append': 'createAppend',
};

/** `recurve ingest`: writes the rows of files to a table, all of them or none. `open` opens the source. */
export async function ingest(args: Arguments, io: CommandIo, open: Open = openSource): Promise<number> {
  const [uri, tableName, ...files] = args.operands;
  if (uri === undefined || !looksLikeUri(uri)) {
    const got = uri === undefined ? 'nothing' : JSON.stringify(uri);
    throw usageError(`a URI is wanted first, not ${got}`, 'recurve ingest duckdb:///sales.db orders orders.csv');
  }
  if (tableName === undefined || files.length === 0) {
    throw usageError('a table and the files for it are wanted', 'recurve ingest duckdb:///sales.db orders orders.csv');
  }
  if (files.filter((file) => file === '-').length > 1) throw usageError('standard input can be read once only');
  const target = {
    mode: ingestModes[args.get('mode') ?? 'create'],
    catalog: args.get('catalog'),
    dbSchema: args.get('schema'),
  };
  const progress = startProgress(io);
  const started = performance.now();
  try {
    const rows = await withDeadline(args, io, async (signal) => {
      const source = await open(uri, { signal });
      try {
        const task = { tableName, files, options: { ...target, signal }, from: args.get('from') };
        return await ingestFiles(source.connection, task, io, progress);
      } finally {
        await source.close();
      }
    });
    await progress.stop();
    const what = `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`;
    await print(io.stderr, `ingested ${what} into ${tableName} in ${formatSeconds(performance.now() - started)}\n`);
    return 0;
  } finally {
    await progress.stop();
  }
}

interface Task {
  readonly tableName: string;
  readonly files: readonly string[];
  readonly options: IngestOptions & { readonly signal: AbortSignal };
  /** The format of all files, when it was given. */
  readonly from: string | undefined;
}

/** One transaction around all files: the first one in the mode that was asked for, the others appended. */
async function ingestFiles(connection: Connection, task: Task, io: CommandIo, progress: Progress): Promise<number> {
  const { signal } = task.options;
  return connection.transaction(
    async () => {
      let rows = 0;
      for (const [i, file] of task.files.entries()) {
        const input = await openBatches(file, { from: task.from, stdin: io.stdin, signal });
        try {
          const data = { schema: input.schema, batches: counted(input.batches, progress) };
          const options = i === 0 ? task.options : { ...task.options, mode: 'append' as const };
          rows += await connection.ingest(task.tableName, data, options);
        } catch (error) {
          throw task.files.length > 1 ? nameError(error, input.name) : error;
        } finally {
          await input.close();
        }
      }
      return rows;
    },
    { signal },
  );
}

async function* counted(batches: AsyncIterable<RecordBatch>, progress: Progress): AsyncIterable<RecordBatch> {
  const dictionaries = new WeakSet<Column>();
  for await (const batch of batches) {
    progress.add(batch.numRows, batchByteLength(batch, dictionaries));
    yield batch;
  }
}
