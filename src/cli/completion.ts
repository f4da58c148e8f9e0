// `completion`: a script that teaches a shell the commands and options. It is static, so that completing starts no
// program.
import { Fault } from '../base/fault.ts';
import type { Command, Option } from '../command/command.ts';
import { print } from '../command/terminal.ts';

const writers: Record<string, (commands: readonly Command[]) => string> = { bash, zsh, fish };
const shells = Object.keys(writers);

// `all`: loads every command, this one too.
export const completionOf = (all: () => Promise<Command[]>): Command => ({
  name: 'completion',
  operands: shells.join('|'),
  mostOperands: 1,
  about: 'Prints a completion script for a shell.',
  options: [],
  examples: [
    ['eval "$(cumulet completion bash)"', 'in ~/.bashrc; with zsh the same in ~/.zshrc, after compinit'],
    ['cumulet completion fish > ~/.config/fish/completions/cumulet.fish', 'fish'],
  ],
  async run(input) {
    const [shell = ''] = input.operands;
    const write = Object.hasOwn(writers, shell) ? writers[shell] : undefined;
    if (!write) {
      const why = shell === '' ? '' : `No completion for '${shell}'. `;
      throw new Fault('refused', `${why}Name a shell: ${shells.join(', ')}.`);
    }
    print(write(await all()));
    return 0;
  },
});

const shown = ({ options }: Command): Option[] => [
  ...options.filter(({ hidden }) => !hidden),
  { name: 'help', help: 'this text' },
];
const firstWords = (commands: readonly Command[]): string[] => [
  ...new Set([...commands.map(({ name }) => name.split(' ')[0] ?? ''), 'help']),
];
const secondWords = (commands: readonly Command[], first: string): string[] =>
  commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
const words = ({ name, operands = '' }: Command): string[] => (name === 'completion' ? operands.split('|') : []);

function cases(commands: readonly Command[]): string {
  const nouns = firstWords(commands).filter((one) => secondWords(commands, one).length > 0);
  return [
    ...commands.map((one) => {
      const options = shown(one).map(({ name }) => `--${name}`);
      return `    '${one.name}') words='${[...options, ...words(one)].join(' ')}' ;;`;
    }),
    ...nouns.map((noun) => `    '${noun}') words='${secondWords(commands, noun).join(' ')}' ;;`),
  ].join('\n');
}

function bash(commands: readonly Command[]): string {
  return `_cumulet() {
  local current=\${COMP_WORDS[COMP_CWORD]} command words word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) break ;; esac
    command="\${command:+$command }$word"
  done
  case $command in
    '' | help) words='${firstWords(commands).join(' ')}' ;;
${cases(commands)}
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _cumulet cumulet`;
}

function zsh(commands: readonly Command[]): string {
  return `#compdef cumulet
_cumulet() {
  local command word text
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ $word == -* ]] && break
    command="\${command:+$command }$word"
  done
  case $command in
    ('' | help) text='${firstWords(commands).join(' ')}' ;;
${cases(commands).replaceAll(/^( +)('.*?'\)) words=/gm, '$1($2 text=')}
    (*) text='' ;;
  esac
  compadd -- \${=text} || _files
}
compdef _cumulet cumulet`;
}

function fish(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = firstWords(commands).map((one) => `complete -c cumulet -n __fish_use_subcommand -f -a ${one}`);
  for (const noun of firstWords(commands)) {
    const verbs = secondWords(commands, noun).join(' ');
    if (verbs === '') continue;
    const test = `__fish_seen_subcommand_from ${noun}; and not __fish_seen_subcommand_from ${verbs}`;
    lines.push(`complete -c cumulet -n ${quoted(test)} -f -a ${quoted(verbs)}`);
  }
  for (const command of commands) {
    const seen = command.name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const test = quoted(seen.join('; and '));
    for (const { name, takes, help } of shown(command))
      lines.push(`complete -c cumulet -n ${test} -l ${name} ${takes === undefined ? '' : '-r '}-d ${quoted(help)}`);
    if (words(command).length > 0)
      lines.push(`complete -c cumulet -n ${test} -f -a ${quoted(words(command).join(' '))}`);
  }
  return lines.join('\n');
}
