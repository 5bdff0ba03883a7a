import type { Arguments } from './argument.ts';
import type { Command, CommandOption } from './command.ts';
import { usageError } from './failure.ts';
import { type CommandIo, print } from './io.ts';

/** The shells that {@link completion} writes for. */
export const shells: readonly string[] = ['bash', 'zsh', 'fish'];

/** `recurve completion SHELL`: prints the script that completes the commands of the table. */
export async function completion(args: Arguments, io: CommandIo, commands: readonly Command[]): Promise<number> {
  const [shell] = args.operands;
  const write = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell ?? ''];
  if (write === undefined) {
    const problem = shell === undefined ? 'a shell is wanted' : `no completion for ${JSON.stringify(shell)}`;
    throw usageError(problem, `one of ${shells.join(', ')}`);
  }
  await print(io.stdout, write(commands));
  return 0;
}

/** What may stand after an option: one of a few words, a file, anything. */
function valuesOf({ value, choices }: CommandOption): readonly string[] | 'file' | 'any' {
  return choices ?? (value === 'FILE' ? 'file' : 'any');
}

/** The spellings of an option that has a value, or of all. */
function spellings({ name, short }: CommandOption): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

function names(commands: readonly Command[]): string[] {
  return [...commands.map(({ name }) => name), 'help', '--help', '--version'];
}

function bashScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const options = command.options.filter(({ value }) => value !== undefined);
    const branches = options.map((option) => {
      const values = valuesOf(option);
      const reply =
        values === 'any'
          ? 'return'
          : `COMPREPLY=($(compgen ${values === 'file' ? '-f' : `-W '${values.join(' ')}'`} -- "$word")); return`;
      return `        ${spellings(option).join('|')}) ${reply} ;;`;
    });
    const flags = command.options.flatMap(spellings).join(' ');
    const operands = command.words === undefined ? '-f' : `-W '${command.words.join(' ')}'`;
    return [
      `    ${command.name})`,
      ...(branches.length > 0 ? ['      case "$before" in', ...branches, '      esac'] : []),
      `      if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W '${flags}' -- "$word"))`,
      `      else COMPREPLY=($(compgen ${operands} -- "$word")); fi ;;`,
    ].join('\n');
  });
  return `# bash completion for recurve: source <(recurve completion bash)
_recurve() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W '${names(commands).join(' ')}' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$word")) ;;
${cases.join('\n')}
  esac
}
complete -o filenames -F _recurve recurve
`;
}

function zshScript(commands: readonly Command[]): string {
  const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const plain = (text: string): string => text.replaceAll(/[[\]:\\]/g, '\\$&');
  const cases = commands.map((command) => {
    const specs = command.options.flatMap((option) => {
      const values = valuesOf(option);
      const action = values === 'file' ? '_files' : values === 'any' ? ' ' : `(${values.join(' ')})`;
      const argument = option.value === undefined ? '' : `:${plain(option.value)}:${action}`;
      const repeats = option.repeats === true ? '*' : '';
      return spellings(option).map((spelling) => quote(`${repeats}${spelling}[${plain(option.summary)}]${argument}`));
    });
    const operands = command.words === undefined ? '_files' : `(${command.words.join(' ')})`;
    return `    ${command.name}) _arguments -s ${[...specs, quote(`*:operand:${operands}`)].join(' ')} ;;`;
  });
  const described = [
    ...commands.map(({ name, summary }) => quote(`${name}:${plain(summary)}`)),
    quote('help:explain a command'),
  ];
  return `#compdef recurve
# zsh completion for recurve: recurve completion zsh > "\${fpath[1]}/_recurve"
_recurve() {
  local -a commands=(${described.join(' ')})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
    help) _describe command commands ;;
${cases.join('\n')}
  esac
}
if [[ "$funcstack[1]" == _recurve ]]; then _recurve "$@"; else compdef _recurve recurve; fi
`;
}

function fishScript(commands: readonly Command[]): string {
  const quote = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
  const lines = [
    '# fish completion for recurve: recurve completion fish > ~/.config/fish/completions/recurve.fish',
    `complete -c recurve -n __fish_use_subcommand -f -a help -d ${quote('explain a command')}`,
    `complete -c recurve -n '__fish_seen_subcommand_from help' -f -a ${quote(commands.map(({ name }) => name).join(' '))}`,
  ];
  for (const { name, summary, options, words } of commands) {
    const within = `complete -c recurve -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    lines.push(`complete -c recurve -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`);
    if (words !== undefined) lines.push(`${within} -f -a ${quote(words.join(' '))}`);
    for (const option of options) {
      const values = valuesOf(option);
      const takes = values === 'file' ? '-r -F' : values === 'any' ? '-x' : `-x -a ${quote(values.join(' '))}`;
      const short = option.short === undefined ? '' : ` -s ${option.short}`;
      const argument = option.value === undefined ? '' : ` ${takes}`;
      lines.push(`${within} -l ${option.name}${short}${argument} -d ${quote(option.summary)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}
