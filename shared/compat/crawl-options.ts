import { z } from 'zod';
import { globsOf } from './path-globs.ts';
import { type Mapped, refused } from './mapped.ts';
import { ScrapeOptions, scrapeFields, TargetText } from './scrape-options.ts';
import { Webhook, webhookOf } from './webhook-options.ts';

const MAX_DEPTH = 100;
const MAX_CONCURRENCY = 10;
const DEFAULT_LIMIT = 10_000;

/** The body of `POST /v2/crawl`. */
export const CrawlBody = z.strictObject({
  url: TargetText,
  limit: z.int().min(1).max(1_000_000).optional(),
  includePaths: z.array(z.string().max(500)).optional(),
  excludePaths: z.array(z.string().max(500)).optional(),
  maxDiscoveryDepth: z.int().min(0).optional(),
  sitemap: z.enum(['include', 'only', 'skip']).optional(),
  ignoreQueryParameters: z.boolean().optional(),
  deduplicateSimilarURLs: z.boolean().optional(),
  crawlEntireDomain: z.boolean().optional(),
  allowSubdomains: z.boolean().optional(),
  allowExternalLinks: z.boolean().optional(),
  ignoreRobotsTxt: z.boolean().optional(),
  robotsUserAgent: z.string().optional(),
  regexOnFullURL: z.boolean().optional(),
  delay: z.number().min(0).max(60).optional(),
  maxConcurrency: z.int().min(1).optional(),
  prompt: z.string().optional(),
  zeroDataRetention: z.boolean().optional(),
  scrapeOptions: ScrapeOptions.optional(),
  webhook: Webhook.optional(),
  origin: z.string().optional(),
  integration: z.string().optional(),
});
type CrawlBody = z.infer<typeof CrawlBody>;

/** Options that this service does not have, unless they ask for nothing. */
const LACKING = [
  'prompt',
  'allowExternalLinks',
  'robotsUserAgent',
  'regexOnFullURL',
  'zeroDataRetention',
] as const;

/** The fields of a crawl. Throws `invalid_request`, which names what this service does not have. */
export function crawlFields(options: CrawlBody): Mapped {
  const lacking = LACKING.filter((name) => Boolean(options[name]));
  if (lacking[0] !== undefined)
    throw refused(lacking[0], `These options are not supported here: ${lacking.join(', ')}.`);
  const { url, limit = DEFAULT_LIMIT, maxDiscoveryDepth = MAX_DEPTH, sitemap, webhook } = options;
  const { fields: request, warnings } = scrapeFields(options.scrapeOptions ?? {});
  return {
    fields: {
      ...{ url, limit, max_depth: Math.min(maxDiscoveryDepth, MAX_DEPTH), request },
      ...placeFields(options),
      ...paceFields(options),
      ...(sitemap !== undefined && { sitemaps: sitemap }),
      ...(options.ignoreRobotsTxt === true && { robots: 'ignore' }),
      ...webhookOf(webhook),
    },
    warnings: [...warnings, ...crawlWarnings(options)],
  };
}

function placeFields(options: CrawlBody) {
  const { includePaths = [], excludePaths = [], ignoreQueryParameters: isIgnored } = options;
  const { allowSubdomains = false, crawlEntireDomain = false } = options;
  const host = crawlEntireDomain ? 'host' : 'path';
  return {
    scope: allowSubdomains ? 'domain' : host,
    ...(includePaths.length > 0 && { include: globsOf(includePaths, 'includePaths') }),
    ...(excludePaths.length > 0 && { exclude: globsOf(excludePaths, 'excludePaths') }),
    ...(isIgnored !== undefined && { query: isIgnored ? 'ignore' : 'keep' }),
  };
}

/** A delay is kept between requests one after another. */
function paceFields({ delay = 0, maxConcurrency }: CrawlBody) {
  const most = Math.min(maxConcurrency ?? Infinity, MAX_CONCURRENCY);
  return {
    ...(delay > 0 && { delay: Math.round(delay * 1_000), concurrency: 1 }),
    ...(delay === 0 && maxConcurrency !== undefined && { concurrency: most }),
  };
}

function crawlWarnings({ maxDiscoveryDepth = 0, maxConcurrency = 0, ...options }: CrawlBody): string[] {
  return [
    ...(maxDiscoveryDepth > MAX_DEPTH ? [`maxDiscoveryDepth is at most ${MAX_DEPTH} here.`] : []),
    ...(maxConcurrency > MAX_CONCURRENCY
      ? [`maxConcurrency is at most ${MAX_CONCURRENCY} requests to one host here.`]
      : []),
    ...(options.deduplicateSimilarURLs === false ? ['The same page at another URL is always left out.'] : []),
  ];
}
