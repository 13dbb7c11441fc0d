import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseApiKey } from '../../shared/domain/accounts/api-key.ts';
import { environments, type FunctionName } from '../../shared/config.ts';
import { didYouMean } from '../did-you-mean.ts';
import { oneOf } from '../one-of.ts';

const FOLDER = new URL('../../test/fixtures/events/', import.meta.url);

/** What stands in the events for values of one's own. */
export const PLACEHOLDERS = {
  key: 'sf_test_REPLACE_ME',
  url: 'https://example.com/',
  id: '01a1fc65-ce39-73c6-a38e-ad4f30b810a7',
  org: 'org_REPLACE_ME',
} as const;

export type ValueName = keyof typeof PLACEHOLDERS;
export type EventValues = { [Name in ValueName]?: string | undefined };

/** As parseArgs takes them. */
export const valueOptions = {
  key: { type: 'string' },
  url: { type: 'string' },
  id: { type: 'string' },
  org: { type: 'string' },
} as const;

export const VALUES_HELP = `  --key KEY     the API key of the request
  --url URL     the page to scrape
  --id ID       the job, batch, endpoint or delivery that the event names
  --org ORG_ID  the organization that it names`;

export const functionNames = Object.keys(environments) as FunctionName[];

/** The names of the events in test/fixtures/events. */
export const eventNames = readdirSync(FOLDER)
  .map((file) => file.replace(/\.json$/, ''))
  .sort();

export const eventsOf = (name: FunctionName) =>
  eventNames.filter((event) => event === name || event.startsWith(`${name}-`));

/** Throws for a name of no function. */
export function functionNamed(typed: string): FunctionName {
  const found = functionNames.find((name) => name === typed);
  if (found) return found;
  const meant = didYouMean(typed, functionNames) || ` Name ${oneOf(functionNames)}.`;
  throw new Error(`There is no function "${typed}".${meant}`);
}

/** The event of that name. A function stands for the event of its name, or for its submit. */
export function eventNamed(typed: string): string | undefined {
  return [typed, `${typed}-submit`].find((name) => eventNames.includes(name));
}

export async function readEvent(name: string): Promise<unknown> {
  return JSON.parse(await readFile(new URL(`${name}.json`, FOLDER), 'utf8'));
}

export const pathOf = (name: string) => fileURLToPath(new URL(`${name}.json`, FOLDER));

/** The event with these values for its placeholders. */
export function filled(event: unknown, values: EventValues): unknown {
  if (Array.isArray(event)) return event.map((item) => filled(item, values));
  if (typeof event === 'object' && event !== null)
    return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, filled(value, values)]));
  if (typeof event !== 'string') return event;
  // Bodies are JSON in JSON.
  if (event.startsWith('{')) return JSON.stringify(filled(JSON.parse(event), values));
  return (Object.keys(PLACEHOLDERS) as ValueName[]).reduce(
    (text, name) => text.replaceAll(PLACEHOLDERS[name], () => values[name] ?? PLACEHOLDERS[name]),
    event,
  );
}

/** Throws for a value that the event has no place for, or that cannot be right. */
export function assertFits(name: string, event: unknown, values: EventValues): void {
  const text = JSON.stringify(event);
  for (const [option, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if (!text.includes(PLACEHOLDERS[option as ValueName])) throw new Error(`${name} takes no --${option}.`);
  }
  if (values.key !== undefined && parseApiKey(values.key) === undefined)
    throw new Error('--key must be a whole API key.');
  if (values.url !== undefined && !URL.canParse(values.url))
    throw new Error(`--url must be a URL, not "${values.url}".`);
}
