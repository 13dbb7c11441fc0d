import { z } from 'zod';
import { MAX_SEEDS } from '../contract/crawls/crawl-request.ts';
import { type Mapped, refused } from './mapped.ts';
import { ScrapeOptions, scrapeFields, TargetText } from './scrape-options.ts';

/** Pages of whole sites, at most. */
const MAX_PAGES = 100;

/** The body of `POST /v2/extract`. */
export const ExtractBody = z.strictObject({
  urls: z.array(TargetText.or(z.string())).min(1).max(MAX_SEEDS),
  prompt: z.string().min(1).optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
  systemPrompt: z.string().optional(),
  limit: z.int().min(1).max(MAX_PAGES).optional(),
  includeSubdomains: z.boolean().optional(),
  ignoreSitemap: z.boolean().optional(),
  ignoreInvalidURLs: z.boolean().optional(),
  // Sources always come.
  showSources: z.boolean().optional(),
  scrapeOptions: ScrapeOptions.optional(),
  allowExternalLinks: z.boolean().optional(),
  enableWebSearch: z.boolean().optional(),
  agent: z.unknown().optional(),
  webhook: z.unknown().optional(),
  origin: z.string().optional(),
  integration: z.string().optional(),
});
type ExtractBody = z.infer<typeof ExtractBody>;

/** Options that this service does not have, unless they ask for nothing. */
const LACKING = ['allowExternalLinks', 'enableWebSearch', 'agent', 'webhook'] as const;

/** How a whole site is named: `https://example.com/*`. */
const WHOLE_SITE = /\/\*{1,2}$/;
const isSite = (url: string) => WHOLE_SITE.test(url);

/** A URL without what says that its whole site is meant. */
export const pageOf = (url: string): string => url.replace(WHOLE_SITE, '/');

/**
 * The fields of a crawl that reads values from these pages, or from all pages of their sites. Throws
 * `invalid_request`.
 */
export function extractFields(options: ExtractBody, urls: readonly string[]): Mapped {
  const lacking = LACKING.filter((name) => Boolean(options[name]));
  if (lacking[0] !== undefined)
    throw refused(lacking[0], `These options are not supported here: ${lacking.join(', ')}.`);
  const { schema, prompt, systemPrompt, scrapeOptions: { formats: _, ...page } = {} } = options;
  if (schema === undefined && prompt === undefined)
    throw refused('schema', 'Send a schema, a prompt, or both.');
  const told = [systemPrompt, prompt].filter(Boolean).join('\n');
  const json = { type: 'json', ...(schema && { schema }), ...(told !== '' && { prompt: told }) };
  const { fields: request, warnings } = scrapeFields({ ...page, formats: [json] });
  return { fields: { urls: urls.map(pageOf), request, ...placeFields(options, urls) }, warnings };
}

function placeFields(options: ExtractBody, urls: readonly string[]) {
  const sites = urls.filter(isSite);
  // Pages that are named are requested, as single scrapes are.
  if (sites.length === 0) return { limit: urls.length, max_depth: 0, sitemaps: 'skip', robots: 'report' };
  if (sites.length < urls.length)
    throw refused('urls', 'Send pages and whole sites, which end with /*, in calls of their own.');
  return {
    limit: options.limit ?? MAX_PAGES,
    scope: options.includeSubdomains === true ? 'domain' : 'host',
    ...(options.ignoreSitemap === true && { sitemaps: 'skip' }),
  };
}
