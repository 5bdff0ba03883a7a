import type { Command, CommandOption } from './command.ts';
import { completion, shells } from './completion.ts';
import { formats } from './format/index.ts';
import { inputFormats } from './input/format.ts';
import { print } from './io.ts';

const debug: CommandOption = { name: 'debug', summary: 'print the stack of an error too' };
const timeout: CommandOption = {
  name: 'timeout',
  value: 'SECONDS',
  summary: 'stop after this time, with exit code 4',
};
const format: CommandOption = {
  name: 'format',
  short: 'f',
  value: 'FORMAT',
  choices: formats.map(({ name }) => name),
  summary: formats.map(({ name }) => name).join(', '),
};
const compression: CommandOption = {
  name: 'compression',
  value: 'CODEC',
  choices: ['lz4', 'zstd'],
  summary: 'compress the bodies of arrow and arrows: lz4, zstd; default: not at all',
};
const from: CommandOption = {
  name: 'from',
  value: 'FORMAT',
  choices: inputFormats.map(({ name }) => name),
  summary: `default: by its first bytes or suffix; ${inputFormats.map(({ name }) => name).join(', ')}`,
};
/** How closely `inspect` looks, each level including those before it. */
const inspectLevels = ['none', 'minimal', 'default', 'full'];
const help: CommandOption = { name: 'help', short: 'h', summary: 'print this' };

/** The command table: parser, help and whatever else has to know the commands read it. */
export const commands: readonly Command[] = [
  {
    name: 'query',
    operands: '[URI] [SQL]',
    maxOperands: 2,
    summary: 'run a statement and write its result',
    details: [
      'URI names the source: duckdb: (in memory, the default) or duckdb:///path/to/file.db. DuckDB reads local CSV, Parquet, JSON and Arrow files by name.',
      'SQL is the statement; - or no SQL at all takes it from standard input, --file from a file. Of several statements the result of the last one is shown.',
      'The result goes to standard output, and nothing else does. Without -f it is a table on a terminal, CSV in a pipe or file, and with -o what the suffix says.',
      'A parameter is text unless it has a type: --param 5, --param name=x, --param n:int=5, --param :int=5; the types are text, int, float, bool, timestamp, hex and null.',
    ],
    options: [
      {
        name: 'output',
        short: 'o',
        value: 'FILE',
        summary: 'write to FILE, which appears whole or not at all; - is standard output',
      },
      format,
      compression,
      { name: 'file', value: 'FILE', summary: 'read the statement from FILE' },
      {
        name: 'param',
        value: 'V',
        repeats: true,
        summary: 'a value for the next parameter, or NAME=V for a named one',
      },
      { name: 'path', value: 'PATH', summary: 'the path that the result takes; default: the best one' },
      { name: 'delivery', summary: 'print the delivery report to standard error, as JSON' },
      { name: 'batch-rows', value: 'N', summary: 'rows of a batch at most' },
      timeout,
      debug,
      help,
    ],
    examples: [
      'recurve query "select 42 as answer"',
      `recurve query "select origin, count(*) as flights from 'flights.parquet' group by origin" -f json`,
      `recurve query "from 'flights.parquet'" -o flights.arrow`,
      'recurve query duckdb:///sales.db "from orders where id = \\$id" --param id:int=7',
    ],
    load: async () => {
      const { query } = await import('./query.ts');
      return (args, io) => query(args, io);
    },
  },
  {
    name: 'ingest',
    operands: 'URI TABLE FILE…',
    maxOperands: Number.MAX_SAFE_INTEGER,
    summary: 'write the rows of files to a table',
    details: [
      'Reads the formats of convert, in the same way; - is standard input. All files go in one transaction: all of their rows are there afterwards, or none. The number of rows is told on standard error.',
    ],
    options: [
      {
        name: 'mode',
        value: 'MODE',
        choices: ['create', 'append', 'replace', 'create-append'],
        summary:
          'create (the default) wants no table there, append wants one, replace drops it, create-append makes it where there is none',
      },
      { name: 'schema', value: 'SCHEMA', summary: "of the table; default: the session's own" },
      { name: 'catalog', value: 'CATALOG', summary: "of the table; default: the session's own" },
      { ...from, summary: `of all files; ${from.summary}` },
      timeout,
      debug,
      help,
    ],
    examples: [
      'recurve ingest duckdb:///sales.db orders orders.csv',
      'recurve ingest duckdb:///sales.db orders jan.parquet feb.parquet --mode replace',
    ],
    load: async () => {
      const { ingest } = await import('./ingest.ts');
      return (args, io) => ingest(args, io);
    },
  },
  {
    name: 'inspect',
    operands: 'FILE',
    maxOperands: 1,
    summary: 'show what an Arrow file or stream is made of, and check it',
    details: [
      'Tells a file from a stream by its first bytes; - is standard input. Shows schema, metadata, batches, rows, dictionaries, alignment, and the bytes of each buffer of each column. Reads one batch at a time, whatever the size.',
      'Exit code 0 for a valid file, 1 for one that is not, with the place of the fault on standard error.',
    ],
    options: [
      { name: 'messages', summary: 'list each message: offset, kind, bytes of metadata and body, rows' },
      { name: 'json', summary: 'print one JSON object' },
      {
        name: 'validate',
        value: 'LEVEL',
        choices: inspectLevels,
        summary:
          'none: framing, schema and the metadata of every message; minimal: also that every buffer lies in its body and is long enough; default: also that offsets end where they must; full: also every value once: offsets, UTF-8, null counts, dictionary indices, union members',
      },
      debug,
      help,
    ],
    examples: ['recurve inspect flights.arrow', 'recurve inspect flights.arrow --messages --validate full'],
    load: async () => {
      const { inspect } = await import('./inspect/index.ts');
      return (args, io) => inspect(args, io);
    },
  },
  {
    name: 'convert',
    operands: 'IN OUT',
    maxOperands: 2,
    summary: 'write a file in another format',
    details: [
      'Reads Arrow files and streams, Parquet, CSV, JSON and JSON lines, told apart by their first bytes, then by suffix; - is standard input. Writes every format of query; - is standard output. OUT appears whole or not at all, and may be IN.',
      'Between Arrow files and streams all is kept: dictionaries, metadata, extension types, batches. Parquet, CSV and JSON are read and Parquet is written by an embedded DuckDB. CSV needs a header; a column of CSV or JSON gets a type only when that changes no value of it, and is text otherwise.',
    ],
    options: [
      { ...format, summary: `of OUT; default: by its suffix; ${format.summary}` },
      compression,
      { ...from, summary: `of IN; ${from.summary}` },
      timeout,
      debug,
      help,
    ],
    examples: [
      'recurve convert flights.parquet flights.arrow',
      'recurve convert flights.arrow - -f arrows | recurve convert - flights.csv',
      'recurve convert data.txt data.parquet --from csv',
    ],
    load: async () => {
      const { convert } = await import('./convert.ts');
      return (args, io) => convert(args, io);
    },
  },
  {
    name: 'demo',
    operands: '',
    maxOperands: 0,
    summary: 'three million flights from DuckDB to an Arrow file and back, with the delivery report',
    details: [
      "Queries the flights with the embedded DuckDB, streams them as Arrow to a file, reads the file back and checks it against DuckDB's own sums. In an installed package, which has no flight data, it makes some.",
    ],
    options: [{ name: 'output', short: 'o', value: 'FILE', summary: 'keep the Arrow file as FILE' }, debug, help],
    examples: ['recurve demo', 'recurve demo -o flights.arrow'],
    load: async () => {
      const { demo } = await import('./demo.ts');
      return (args, io) => demo(args, io);
    },
  },
  {
    name: 'completion',
    operands: 'SHELL',
    maxOperands: 1,
    words: shells,
    summary: 'print the script that lets a shell complete these commands',
    details: [`SHELL is ${shells.join(', ')}. The script knows the commands, their options and the formats.`],
    options: [debug, help],
    examples: [
      'source <(recurve completion bash)',
      'recurve completion fish > ~/.config/fish/completions/recurve.fish',
    ],
    load: async () => (args, io) => completion(args, io, commands),
  },
  {
    name: 'manual',
    operands: '',
    maxOperands: 0,
    summary: 'print the manual page, in Markdown',
    details: [],
    options: [debug, help],
    examples: ['recurve manual > recurve.1.md'],
    load: async () => {
      const { manualPage } = await import('./manual.ts');
      return async (_args, io) => {
        await print(io.stdout, manualPage(commands));
        return 0;
      };
    },
  },
  {
    name: 'integration',
    operands: '',
    maxOperands: 0,
    summary: "take part in Arrow's integration tests",
    details: [
      "What archery, Arrow's test runner, asks of an implementation, in environment variables. COMMAND is VALIDATE (compare the Arrow file ARROW_PATH with the JSON file JSON_PATH), JSON_TO_ARROW (write ARROW_PATH from JSON_PATH), STREAM_TO_FILE (write ARROW_PATH from the stream on standard input) or FILE_TO_STREAM (write ARROW_PATH to standard output as a stream).",
      'Exit code 0: done, or equal in schema, metadata, dictionaries and values; 1: not, with the field, batch and row on standard error. QUIRK_no_decimal_validate=1, QUIRK_no_date64_validate=1 and QUIRK_no_times_validate=1 let decimals have too many digits, dates in milliseconds be no whole days and times of day lie outside of the day.',
    ],
    options: [debug, help],
    examples: [
      'COMMAND=JSON_TO_ARROW JSON_PATH=case.json ARROW_PATH=case.arrow recurve integration',
      'COMMAND=VALIDATE JSON_PATH=case.json ARROW_PATH=case.arrow recurve integration',
    ],
    load: async () => {
      const { integration } = await import('./integration/index.ts');
      return (args, io) => integration(args, io);
    },
  },
  {
    name: 'bench',
    operands: 'SUITE …',
    maxOperands: Number.MAX_SAFE_INTEGER,
    summary: 'measure, in a checkout of the source',
    details: [],
    options: [],
    examples: ['recurve bench ipc'],
    passesThrough: true,
    load: async () => {
      const { bench } = await import('./bench.ts');
      return (args) => bench(args);
    },
  },
];
