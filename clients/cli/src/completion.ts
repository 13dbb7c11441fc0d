import { type Command, nameOf } from './command.ts';

const optionsOf = ({ options }: Command): string[] =>
  Object.entries(options).flatMap(([name, { short }]) => [
    `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
  ]);

/** A script that completes commands, their second words and their options. */
export function completionFor(shell: 'bash' | 'zsh', commands: readonly Command[]): string {
  const names = commands.map((command) => ({ command, name: nameOf(command) }));
  const firsts = [...new Set(names.flatMap(({ name: [first] }) => first ?? []))];
  const pairs = names.filter(({ name }) => name.length > 1);
  const caseOf = (pattern: string, words: readonly string[]) =>
    `    ${pattern}) words='${words.join(' ')}' ;;`;
  const ofFirst = (first: string) => [
    ...pairs.flatMap(({ name: [group, second] }) =>
      group === first && second !== undefined ? [second] : [],
    ),
    ...names.flatMap(({ name, command }) => (name.join() === first ? optionsOf(command) : [])),
  ];
  const ofPage = names.flatMap(({ name, command }) => (name.length === 0 ? optionsOf(command) : []));
  const start = [...firsts, 'completion', '--help', '--version'];
  return `${shell === 'zsh' ? ZSH : ''}_sitefetch() {
  local words
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${[
  ...pairs.map(({ name, command }) => caseOf(`'${name.join(' ')}'`, optionsOf(command))),
  ...firsts.map((first) => caseOf(`'${first} '*`, ofFirst(first))),
  caseOf("'completion '*", ['bash', 'zsh']),
  caseOf('*', ofPage),
].join('\n')}
  esac
  if [ "$COMP_CWORD" = 1 ]; then words='${start.join(' ')}'; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sitefetch sitefetch
`;
}

const ZSH =
  '#compdef sitefetch\nautoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n';
