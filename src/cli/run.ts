import { readFile } from 'node:fs/promises';
import { nearest } from '../adbc/nearest.ts';
import { isSecretKey } from '../adbc/redact.ts';
import { Arguments, parseArguments } from './argument.ts';
import type { Command } from './command.ts';
import { commands } from './commands.ts';
import { exitCodeOf, formatError, toRecurveError, usageError } from './failure.ts';
import { commandHelp, programHelp } from './help.ts';
import { type CommandIo, print } from './io.ts';

/**
 * Runs the command line `argv` (without interpreter and script) and returns its exit code. Errors are printed to standard
 * error, never thrown; an error of exit code 0, as when the reader of a pipe has had enough, is not worth a word.
 */
export async function run(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (thrown) {
    const error = toRecurveError(thrown);
    const exitCode = exitCodeOf(error);
    if (exitCode !== 0) {
      const options = { debug: argv.includes('--debug'), secrets: secretsOf(argv) };
      await print(io.stderr, formatError(error, options));
    }
    return exitCode;
  }
}

/** The values of parameters that are named like secrets; sources like to quote values in their messages. */
function secretsOf(argv: readonly string[]): string[] {
  return argv.flatMap((word, i) => {
    const given = argv[i - 1] === '--param' ? word : /^--param=([\s\S]*)$/.exec(word)?.[1];
    const [, name = '', value = ''] = /^([A-Za-z_]\w*)(?::\w+)?=([\s\S]*)$/.exec(given ?? '') ?? [];
    return isSecretKey(name) && value !== '' ? [value] : [];
  });
}

async function dispatch(argv: readonly string[], io: CommandIo): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined) {
    await print(io.stderr, programHelp(commands));
    return 2;
  }
  if (name === '--version' || name === '-V') return show(io, `recurve ${await readVersion()}\n`);
  if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0))
    return show(io, programHelp(commands));
  if (name === 'help') return show(io, commandHelp(findCommand(rest[0] ?? '')));
  const command = findCommand(name);
  if (command.passesThrough === true) return (await command.load())(new Arguments(rest, new Map()), io);
  const args = parseArguments(rest, command.options);
  if (args.has('help')) return show(io, commandHelp(command));
  const extra = args.operands[command.maxOperands];
  if (extra !== undefined) {
    throw usageError(
      `unexpected operand ${JSON.stringify(extra)}`,
      `usage: recurve ${command.name} ${command.operands}`.trim(),
    );
  }
  return (await command.load())(args, io);
}

async function show(io: CommandIo, text: string): Promise<number> {
  await print(io.stdout, text);
  return 0;
}

function findCommand(name: string): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  if (name.startsWith('-')) throw usageError(`unknown option ${name.split('=')[0]}`, 'see recurve --help');
  const near = nearest(
    name,
    commands.map((candidate) => candidate.name),
  );
  const hint = near === undefined ? 'see recurve --help' : `did you mean ${near}?`;
  throw usageError(`unknown command ${JSON.stringify(name)}`, hint);
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
