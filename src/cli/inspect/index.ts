import { type DecodeOptions, MessageDecoder } from '../../arrow/ipc/decoder.ts';
import { readExtras } from '../../arrow/ipc/extras.ts';
import {
  type Footer,
  fileHeaderBytes,
  fileTrailerBytes,
  locateFooter,
  readFooter,
  startsWithMagic,
} from '../../arrow/ipc/footer.ts';
import { loadCodecOf } from '../../arrow/ipc/load-codec.ts';
import { headerType, type Message } from '../../arrow/ipc/message.ts';
import { Metadata } from '../../arrow/metadata.ts';
import type { Schema } from '../../arrow/schema.ts';
import { columnCheck } from '../../arrow/validate/batch.ts';
import type { ValidationLevel } from '../../arrow/validate/column.ts';
import { RecurveError } from '../../error.ts';
import type { Arguments } from '../argument.ts';
import { usageError } from '../failure.ts';
import { nameError, openInput, type SeekableFile } from '../input/file.ts';
import { formatByMagic } from '../input/format.ts';
import { type CommandIo, print } from '../io.ts';
import { type PlacedMessage, walkFile, walkStream } from './message.ts';
import { formatInspection, inspectionToJson } from './report.ts';
import { type MessageEntry, Tally } from './tally.ts';

/** What was found in an Arrow file or stream. */
export interface Inspection {
  readonly format: 'file' | 'stream';
  readonly byteLength: number;
  readonly schema: Schema;
  /** Empty for a stream. */
  readonly footerMetadata: Metadata;
  readonly tally: Tally;
  /** In the order of their offsets; empty when they were not asked for. */
  readonly messages: readonly MessageEntry[];
  /** What is odd but allowed, in words. */
  readonly notes: readonly string[];
}

/** `recurve inspect`: what an Arrow file or stream is made of; throws INVALID_DATA for one that is not valid. */
export async function inspect(args: Arguments, io: CommandIo): Promise<number> {
  const [given] = args.operands;
  if (given === undefined) throw usageError('a file is wanted', 'recurve inspect flights.arrow; - is standard input');
  const level = (args.get('validate') ?? 'default') as ValidationLevel;
  const file = await openInput(given, io.stdin, io.signal);
  try {
    const byMagic = formatByMagic(file.head)?.name;
    // A stream of before Arrow 0.15 has no magic, so all that has none is read as one.
    if (byMagic === 'parquet') {
      throw new RecurveError('INVALID_DATA', 'this is no Arrow file or stream, but Parquet', {
        hint: `recurve convert makes it one, recurve query "describe from '${given}'" shows its columns`,
      });
    }
    const found = await examine(await file.spool(), { level, listsMessages: args.has('messages'), signal: io.signal });
    const text = args.has('json')
      ? `${JSON.stringify(inspectionToJson(found, { file: given, level, listsMessages: args.has('messages') }))}\n`
      : formatInspection(found, { name: given === '-' ? file.name : given, level });
    await print(io.stdout, text);
    return 0;
  } catch (error) {
    throw io.signal.aborted ? io.signal.reason : nameError(error, file.name);
  } finally {
    await file.close();
  }
}

interface ExamineOptions {
  readonly level: ValidationLevel;
  readonly listsMessages: boolean;
  readonly signal: AbortSignal;
}

async function examine(source: SeekableFile, options: ExamineOptions): Promise<Inspection> {
  const footer = startsWithMagic(await source.read(0, Math.min(fileHeaderBytes, source.size)))
    ? await openFooter(source)
    : undefined;
  const walk = footer === undefined ? walkStream(source, 0) : walkFile(source, footer);
  let examiner = footer === undefined ? undefined : Examiner.ofFile(footer, options);
  let end = source.size;
  for (;;) {
    options.signal.throwIfAborted();
    const next = await walk.next();
    if (next.done === true) {
      end = next.value?.end ?? source.size;
      break;
    }
    examiner ??= Examiner.ofStream(next.value.message, options);
    await examiner.add(next.value);
  }
  if (examiner === undefined) throw new RecurveError('INVALID_DATA', 'the stream is empty: it has not even a schema');
  examiner.finish();
  return {
    format: footer === undefined ? 'stream' : 'file',
    byteLength: source.size,
    schema: examiner.schema,
    footerMetadata: footer?.metadata ?? Metadata.empty,
    tally: examiner.tally,
    messages: examiner.messages.sort((a, b) => a.offset - b.offset),
    notes: [
      ...examiner.notes,
      ...(end < source.size ? [`${source.size - end} bytes follow the end of the stream`] : []),
    ],
  };
}

async function openFooter(source: SeekableFile): Promise<Footer> {
  const trailerBytes = Math.min(source.size, fileTrailerBytes);
  const start = locateFooter(await source.read(source.size - trailerBytes, trailerBytes), source.size);
  return readFooter(await source.read(start, source.size - fileTrailerBytes - start), start);
}

function decodeOptions({ level }: ExamineOptions): DecodeOptions {
  return { check: columnCheck(level), extras: readExtras };
}

/** Takes in the messages one by one, and looks at them as closely as the level says. */
class Examiner {
  readonly schema: Schema;
  readonly tally: Tally;
  readonly messages: MessageEntry[] = [];
  readonly notes: string[] = [];
  readonly #options: ExamineOptions;
  readonly #decoder: MessageDecoder;
  #hasSchema = false;

  private constructor(decoder: MessageDecoder, options: ExamineOptions) {
    this.schema = decoder.schema;
    this.tally = new Tally(decoder.schema);
    this.#options = options;
    this.#decoder = decoder;
  }

  static ofStream(message: Message, options: ExamineOptions): Examiner {
    return new Examiner(MessageDecoder.fromSchemaMessage(message, decodeOptions(options)), options);
  }

  static ofFile({ schema, isBigEndian }: Footer, options: ExamineOptions): Examiner {
    const decode = decodeOptions(options);
    return new Examiner(new MessageDecoder(schema, 'footer', true, decode, Metadata.empty, isBigEndian), options);
  }

  async add(placed: PlacedMessage): Promise<void> {
    const { message } = placed;
    const isSchema = message.headerType === headerType.schema && !this.#hasSchema;
    const isBody = message.headerType === headerType.dictionaryBatch || message.headerType === headerType.recordBatch;
    if (isSchema) {
      this.#hasSchema = true;
      const { schema } = MessageDecoder.fromSchemaMessage(message, decodeOptions(this.#options));
      if (!schema.equals(this.schema))
        this.notes.push('the first message has another schema than the footer, which counts');
    } else if (!isBody || this.#options.level !== 'none') {
      await loadCodecOf(message, this.#decoder);
      this.#decoder.decode(message, isBody ? await placed.body() : new Uint8Array(0));
    }
    const entry = this.tally.add(placed);
    if (this.#options.listsMessages) this.messages.push(entry);
  }

  finish(): void {
    if (this.#options.level !== 'none') this.#decoder.finish();
  }
}
