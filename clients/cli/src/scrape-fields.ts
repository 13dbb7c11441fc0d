import type { ScrapeRequest } from '../../typescript/src/sitefetch.ts';
import type { Call, Option } from './command.ts';
import { UsageError } from './usage-error.ts';

/** Fields of a scrape that many need. `--set` takes all others. */
export const SCRAPE_OPTIONS = {
  format: {
    type: 'string',
    short: 'f',
    value: 'FORMAT',
    about: 'markdown, text, links, metadata, json, screenshot or pdf; html if absent',
    choices: ['html', 'markdown', 'text', 'links', 'metadata', 'json', 'screenshot', 'pdf'],
  },
  mode: { type: 'string', value: 'MODE', about: 'auto: the cheapest way that works', choices: ['auto'] },
  render: { type: 'boolean', about: 'in Chromium' },
  'wait-for': { type: 'string', value: 'SELECTOR', about: 'until an element matches; renders' },
  set: {
    type: 'string',
    multiple: true,
    value: 'FIELD=VALUE',
    about: 'any field of docs/fields.md, with a value in JSON or as text',
  },
} as const satisfies Record<string, Option>;

/** The request for a page. Throws a `UsageError`. */
export function scrapeRequestOf(call: Pick<Call, 'values'>, url: string): ScrapeRequest {
  return { ...fieldsOf(call), url };
}

/** The fields that options set, without `url`. */
export function fieldsOf({ values }: Pick<Call, 'values'>): Partial<ScrapeRequest> {
  const set = [values['set'] ?? []].flat().map((text) => pairOf(String(text)));
  return {
    ...(values['format'] !== undefined && { format: values['format'] }),
    ...(values['mode'] !== undefined && { mode: values['mode'] }),
    ...(values['render'] === true && { render_js: true }),
    ...(values['wait-for'] !== undefined && {
      wait_for: values['wait-for'],
      ...(values['mode'] === undefined && { render_js: true }),
    }),
    ...(Object.fromEntries(set) as object),
  } as Partial<ScrapeRequest>;
}

function pairOf(text: string): [string, unknown] {
  const [, name, value] = /^([a-z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`--set takes FIELD=VALUE, not "${text}".`);
  try {
    return [name, JSON.parse(value)];
  } catch {
    return [name, value];
  }
}
