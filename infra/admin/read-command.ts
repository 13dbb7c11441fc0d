import { parseArgs } from 'node:util';
import { didYouMean } from '../did-you-mean.ts';
import { type Command, commands } from './commands.ts';
import { everywhere, type OptionName, options, type Values } from './options.ts';

export type Typed = { name: string; command: Command; values: Values; argument: string };

/** Parses the command line. Undefined if help is requested; throws a one-line error if it is invalid. */
export function readCommand(args: string[]): Typed | undefined {
  const given = givenOptions(args);
  for (const option of given) assertKnown(option);
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  if (values.help || args.length === 0) return undefined;
  const [group = '', verb, argument, ...rest] = positionals;
  const name = [group, verb].filter(Boolean).join(' ');
  const command = commandNamed(name);
  for (const { name: option } of given) assertTaken(name, command, option as OptionName);
  for (const option of command.required ?? [])
    if (values[option] === undefined) throw new Error(`${name} needs --${option}.`);
  const surplus = command.argument ? rest[0] : argument;
  if (surplus !== undefined) throw new Error(`${name} does not take "${surplus}".`);
  if (command.argument && !argument?.trim()) throw new Error(`${name} needs ${command.argument}.`);
  return { name, command, values, argument: argument ?? '' };
}

type GivenOption = {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue?: boolean | undefined;
};

/** Lenient, because Node's own messages are less helpful. */
function givenOptions(args: string[]): GivenOption[] {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  return tokens.filter((token) => token.kind === 'option');
}

function assertKnown({ name, rawName, value, inlineValue }: GivenOption): void {
  const names = Object.keys(options);
  if (!names.includes(name)) {
    const meant = didYouMean(
      rawName,
      names.map((each) => `--${each}`),
    );
    throw new Error(`Unknown option "${rawName}".${meant}`);
  }
  const takesValue = options[name as OptionName].type === 'string';
  if (!takesValue && value !== undefined) throw new Error(`--${name} takes no value.`);
  const isMissing = value === undefined || (!inlineValue && value.startsWith('-'));
  if (takesValue && isMissing) throw new Error(`--${name} needs a value.`);
}

function assertTaken(name: string, { required = [], optional = [] }: Command, option: OptionName): void {
  const taken: readonly OptionName[] = [...everywhere, ...required, ...optional];
  if (!taken.includes(option)) throw new Error(`${name} takes no --${option}.`);
}

function commandNamed(name: string): Command {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return command;
  const meant = didYouMean(name, Object.keys(commands));
  throw new Error(`Unknown command "${name}".${meant || ' "npm run -s admin -- --help" lists them.'}`);
}
