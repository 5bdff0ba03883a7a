import type { Command, CommandOption } from './command.ts';
import { formats } from './format/index.ts';

const debug: CommandOption = { name: 'debug', summary: 'print the stack of an error too' };
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
      {
        name: 'format',
        short: 'f',
        value: 'FORMAT',
        choices: formats.map((format) => format.name),
        summary: formats.map((format) => format.name).join(', '),
      },
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
      { name: 'timeout', value: 'SECONDS', summary: 'stop after this time, with exit code 4' },
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
