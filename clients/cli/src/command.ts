import type { Sitefetch } from '../../typescript/src/sitefetch.ts';
import type { Environment } from './settings.ts';

export type Option = {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: true;
  /** What stands for its value in the help. */
  value?: string;
  about: string;
  /** For completion. */
  choices?: readonly string[];
};

export type Values = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

/** Where a command reads and writes. Results go to `out`, everything for people to `err`. */
export type Terminal = {
  env: Environment;
  input: NodeJS.ReadStream;
  out: NodeJS.WriteStream;
  err: NodeJS.WriteStream;
};

export type Call = Terminal & {
  args: readonly string[];
  values: Values;
  /** Reads the settings. Throws a `UsageError` without them. */
  client: () => Promise<Sitefetch>;
};

export type Command = {
  /** Its words, and what stands for its arguments: `jobs wait ID`. */
  usage: string;
  about: string;
  options: Readonly<Record<string, Option>>;
  /** Resolves to the exit code; 0 if none. */
  run: (call: Call) => Promise<number | undefined>;
};

/** The words that name the command. */
export const nameOf = ({ usage }: Command): string[] =>
  usage.split(' ').filter((word) => /^[a-z]+$/.test(word));

/** The text of an option, if it was given. */
export function textOf({ values }: Pick<Call, 'values'>, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}
