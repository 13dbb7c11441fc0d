import type { ActivityView } from '../../shared/contract/accounts/activity.ts';
import { snakeKeys } from '../../shared/contract/case.ts';
import { RENDER_DEFAULTS, ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';

/** A shell command that repeats the request, with the key in the environment. */
export function repeatRequest(apiUrl: string, { type, url, options }: ActivityView): string {
  const path = PATHS[type];
  const body = JSON.stringify({ url, ...withoutDefaults(options) });
  return [
    `curl ${quoted(apiUrl + path)}`,
    `-H "Authorization: Bearer $SITEFETCH_KEY"`,
    `-H 'Content-Type: application/json'`,
    `--data ${quoted(body)}`,
  ].join(' \\\n  ');
}

const PATHS: Readonly<Record<ActivityView['type'], string>> = {
  scrape: '/api/v1/scraper',
  job: '/api/v1/scraper/jobs',
  map: '/api/v1/map',
};

/** Quotes a text so that the shell changes nothing: POSIX, "Single-Quotes". */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const defaults: Readonly<Record<string, unknown>> = snakeKeys({
  ...ScrapeRequest.parse({ url: 'https://example.com/' }),
  ...RENDER_DEFAULTS,
});

/** The fields of a request that say something, under the names of the API. */
export function withoutDefaults(options: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(options).filter(([name, value]) => value !== defaults[name]));
}
