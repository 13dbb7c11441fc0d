import { type Command, commands } from './commands.ts';
import { aligned } from './print.ts';
import { everywhere, limitOptions, type OptionName, options } from './options.ts';

export function help(): string {
  const rest = (Object.keys(options) as OptionName[]).filter(
    (name) => !isOneOf(everywhere, name) && !isOneOf(limitOptions, name),
  );
  return [
    'Usage: npm run -s admin -- COMMAND [OPTIONS]',
    table(Object.entries(commands).map(([name, command]) => [`${name}${taken(command)}`, command.does])),
    'Options of every command:',
    optionTable(everywhere),
    'Options of some:',
    optionTable(rest),
    `LIMITS: a plan, and limits that override it. "default" as N restores the plan's limit:`,
    optionTable(limitOptions),
  ].join('\n\n');
}

function taken({ argument, required = [], optional = [] }: Command): string {
  const hasLimits = limitOptions.every((name) => optional.includes(name));
  const single = optional.filter((name) => !hasLimits || !isOneOf(limitOptions, name));
  const parts = [
    ...(argument ? [argument] : []),
    ...required.map(form),
    ...single.map((name) => `[${form(name)}]`),
    ...(hasLimits ? ['[LIMITS]'] : []),
  ];
  return parts.map((part) => ` ${part}`).join('');
}

function optionTable(names: readonly OptionName[]): string {
  return table(
    names.map((name) => {
      const { help: text, ...rest } = options[name];
      return [form(name), 'byDefault' in rest ? `${text} (default: ${rest.byDefault})` : text];
    }),
  );
}

function form(name: OptionName): string {
  const { ...option } = options[name];
  return 'value' in option ? `--${name} ${option.value}` : `--${name}`;
}

function table(rows: string[][]): string {
  return aligned(rows).replaceAll(/^/gm, '  ');
}

function isOneOf(names: readonly OptionName[], name: OptionName): boolean {
  return names.includes(name);
}
