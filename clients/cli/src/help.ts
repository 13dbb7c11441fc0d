import type { Command, Option } from './command.ts';

/** What `--help` prints: all commands, or one with its options. */
export function helpOf(commands: readonly Command[], chosen?: Command): string {
  if (chosen) return `Usage: sitefetch ${chosen.usage} [options]\n\n${chosen.about}\n\n${optionsOf(chosen)}`;
  const rows = commands.map(({ usage, about }) => row(usage, about));
  return `Usage: sitefetch COMMAND [options]\n\n${rows.join('')}${row('completion bash|zsh', 'Prints a script for the shell.')}
sitefetch COMMAND --help lists the options of a command.
SITEFETCH_URL and SITEFETCH_KEY name the service and the key; sitefetch login keeps them.
It exits with 0, or 2 if called wrongly, 3 for a key, 4 for credits, 5 for a target, 6 for a bot wall,
7 after a timeout, and 1 for anything else.\n`;
}

function optionsOf({ options }: Command): string {
  return Object.entries(options)
    .map(([name, option]) => row(optionOf(name, option), option.about))
    .join('');
}

const optionOf = (name: string, { short, value }: Option) =>
  `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;

const row = (left: string, right: string) => `  ${left.padEnd(28)}${right}\n`;
