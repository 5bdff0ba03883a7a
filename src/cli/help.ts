import { spell } from './argument.ts';
import type { Command } from './command.ts';

const width = 100;

/** The help of the whole program. */
export function programHelp(commands: readonly Command[]): string {
  const entries = commands.map((command) => [command.name, command.summary] as const);
  return [
    'recurve: the result of a SQL query as Apache Arrow, over the fastest path that the source offers',
    '',
    'usage: recurve COMMAND …',
    '',
    ...columns([...entries, ['help', 'explain a command: recurve help query']]),
    '',
    'exit codes: 0 done, 1 statement failed, 2 usage, 3 cannot connect or authenticate, 4 time-out or limit, 130 interrupted',
    '',
  ].join('\n');
}

/** The help of one command. */
export function commandHelp(command: Command): string {
  const usage = ['usage: recurve', command.name, command.operands, command.options.length > 0 ? '[options]' : ''];
  const blocks = [
    [usage.filter((word) => word !== '').join(' ')],
    wrap(`${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`, width),
    ...command.details.map((paragraph) => wrap(paragraph, width)),
    columns(command.options.map((option) => [spell(option), option.summary])),
    ['examples:', ...command.examples.map((example) => `  ${example}`)],
  ];
  const text = blocks.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${text.join('\n\n')}\n`;
}

function columns(entries: ReadonlyArray<readonly [left: string, right: string]>): string[] {
  const indent = Math.max(...entries.map(([left]) => left.length), 0) + 4;
  return entries.flatMap(([left, right]) => {
    const [first = '', ...rest] = wrap(right, width - indent);
    return [`  ${left.padEnd(indent - 2)}${first}`, ...rest.map((line) => ' '.repeat(indent) + line)];
  });
}

function wrap(text: string, limit: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= limit) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
