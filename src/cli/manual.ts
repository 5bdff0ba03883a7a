import { spell } from './argument.ts';
import type { Command } from './command.ts';

/** What each exit code means, in the order of the page. */
const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done; also when the reader of a pipe had enough'],
  ['1', 'the statement failed, a file is not valid, or the result could not be written'],
  ['2', 'usage: an unknown option, format or scheme'],
  ['3', 'the source cannot be reached, opened or authenticated with'],
  ['4', 'time-out or limit'],
  ['130', 'interrupted (143 by SIGTERM, 129 by SIGHUP)'],
];

/** The manual page in Markdown, from the command table; `docs/recurve.1.md` is this text. */
export function manualPage(commands: readonly Command[]): string {
  const blocks = [
    '# recurve(1)',
    '## Name',
    'recurve - the result of a SQL query as Apache Arrow, over the fastest path that the source offers',
    '## Synopsis',
    fence(commands.map((command) => usage(command))),
    '## Commands',
    ...commands.flatMap(commandBlocks),
    '## Exit codes',
    exitCodes.map(([code, meaning]) => `- \`${code}\`: ${meaning}`).join('\n'),
    '## Environment',
    [
      '- `NO_COLOR`: when set and not empty, no colours on terminals',
      '- `TMPDIR`: the folder for temporary files',
      '- `UV_THREADPOOL_SIZE`: threads for native calls; 16 unless set',
    ].join('\n'),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function commandBlocks(command: Command): string[] {
  const options = command.options.map((option) => `- \`${spell(option)}\`: ${option.summary}`);
  return [
    `### recurve ${command.name}`,
    `${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
    ...command.details,
    ...(options.length > 0 ? [options.join('\n')] : []),
    fence(command.examples),
  ];
}

function usage({ name, operands, options }: Command): string {
  return ['recurve', name, operands, options.length > 0 ? '[options]' : ''].filter((word) => word !== '').join(' ');
}

function fence(lines: readonly string[]): string {
  return ['```', ...lines, '```'].join('\n');
}
