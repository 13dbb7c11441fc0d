import { z } from 'zod';
import { perRequest } from '../batches/batch-request.ts';
import { camelCased } from '../case.ts';
import { checkedBy, type Condition } from '../conditions.ts';
import { secondsFor, tags, webhookFor } from '../jobs/job-request.ts';
import { StoredFields } from '../scrape/stored-schema.ts';
import { Globs, Robots, Scope, Sitemaps } from './map.ts';
import { QueryRule } from './query-rule.ts';

export const MAX_SEEDS = 100;
const MAX_HOSTS = 100;
/** A week. */
const MAX_SECONDS = 604_800;
/** A day. */
const DEFAULT_SECONDS = 86_400;

/** Characters of a URL that a crawl discovers, at most: https://www.sitemaps.org/protocol.html#locdef */
export const MAX_SEED_LENGTH = 2_048;

export const CrawlScope = z.enum([...Scope.options, 'any']);
export type CrawlScope = z.infer<typeof CrawlScope>;

export const ContentUse = z.enum(['search', 'ai-input', 'ai-train']);
export type ContentUse = z.infer<typeof ContentUse>;

/** `shop.example`, `*.shop.example` or `localhost:8080`. */
const HostPattern = z
  .string()
  .max(255)
  .regex(/^(\*\.)?[^\s/@:?#*\\]+(:\d{1,5})?$/, 'expected a host, such as example.com or *.example.com')
  .refine((text) => URL.canParse(`https://${text.replace('*.', '')}`), 'expected a host')
  .describe('A host, and its port if that is not the usual one. `*.` stands for its subdomains.');

const Seed = z.string().min(1).max(MAX_SEED_LENGTH);

const { method: _method, body: _body, tags: _tags, ...pageFields } = perRequest;

/** The fields of a crawl by their names at the border, but `request`. */
const fields = {
  url: Seed.optional()
    .describe('The page to begin at, as an absolute URL of up to 2,048 characters. This or `urls`.')
    .meta({ format: 'uri', examples: ['https://example.com/'] }),
  urls: z.array(Seed).min(1).max(MAX_SEEDS).optional().describe('The same for 1 to 100 pages.'),
  limit: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100)
    .describe('Pages to request at most, up to 1,000,000. Absent: 100.'),
  max_depth: z
    .int()
    .min(0)
    .max(100)
    .default(10)
    .describe(
      'Link hops from a page to begin at, up to 100; links of pages that far are not followed. URLs of sitemaps have depth 1. Absent: 10.',
    ),
  scope: CrawlScope.default('host').describe(
    'Which URLs belong to the crawl: `path`, below the folder of a page to begin at; `host`, at its host, with and without `www.`, over http and https; `domain`, in its registrable domain; `any`, only with `allow_hosts`: anywhere at those hosts. Absent: `host`.',
  ),
  allow_hosts: z
    .array(HostPattern)
    .max(MAX_HOSTS)
    .default([])
    .describe('Up to 100 hosts whose URLs belong to the crawl too, such as `example.com` or `*.example.com`.')
    .meta({ examples: [['docs.example.com']] }),
  include: Globs.default([]).describe(
    'Only URLs that one of these globs matches, and the pages to begin at. They are compared with path and query; `*` is any text without a `/`, `**` is any text.',
  ),
  exclude: Globs.default([]).describe('No URL that one of these globs matches, even if `include` does.'),
  sitemaps: Sitemaps.default('include').describe(
    'Whether sitemaps are read: those in robots.txt, or else `/sitemap.xml` and `/sitemap_index.xml`. `only`: links of pages are not followed. Absent: `include`.',
  ),
  robots: Robots.default('obey').describe(
    '`obey`: URLs that robots.txt disallows are not requested. `report`: they are, and the list of URLs has them with `disallowed`. `ignore`: robots.txt is read for its sitemaps alone, which the operator has to allow. Absent: `obey`.',
  ),
  content_use: z
    .array(ContentUse)
    .min(1)
    .max(ContentUse.options.length)
    .optional()
    .describe(
      'What you will use the pages for. URLs whose `Content-Usage` or `Content-Signal` denies one of these uses are left out. Absent: what sites say is only reported.',
    ),
  query: QueryRule.optional().describe(
    'Which query parameters tell pages apart: `keep`, all; `ignore`, none; `{"drop": [...]}`, all but these. Absent: all but those of campaigns, clicks and sessions, such as `utm_*`, `gclid` and `jsessionid`. Of several spellings the first is requested.',
  ),
  concurrency: z
    .int()
    .min(1)
    .max(10)
    .default(2)
    .describe('Requests to one host at the same time, up to 10. Absent: 2.'),
  delay: z
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe(
      'Milliseconds between the starts of two requests to one host, up to 60,000. A longer `Crawl-delay` of its robots.txt counts instead. Absent: 0.',
    ),
  changed_since: z
    .uuid()
    .optional()
    .describe(
      'An ended crawl. Of its pages, those that have not changed since end as `unchanged`: by their `lastmod` for free, or by a conditional request for the price of a plain page.',
    ),
  max_credits: z
    .int()
    .min(0)
    .max(100_000_000)
    .optional()
    .describe('Stop before the crawl costs more credits than this. Absent: no limit.'),
  complete_within: secondsFor('the crawl must finish', '86,400', MAX_SECONDS).default(DEFAULT_SECONDS),
  tags: tags.describe('Up to 10 labels for this crawl.'),
  webhook: webhookFor('when the crawl has ended'),
};

const common = z.strictObject(fields);
type Sent = z.output<typeof common>;

const conditions: readonly Condition<Sent>[] = [
  { name: 'url', error: 'is required, or urls', isMet: ({ url, urls }) => Boolean(url ?? urls) },
  { name: 'urls', error: 'not allowed with url', isMet: ({ url, urls }) => !url || !urls },
  {
    name: 'scope',
    error: 'any is only allowed with allow_hosts',
    isMet: ({ scope, allow_hosts: hosts }) => scope !== 'any' || hosts.length > 0,
  },
];

/** The JSON body of a submit. Whether fields of `request` go together is checked with a URL. */
export const CrawlBody = withConditions(
  common.extend({
    request: z
      .strictObject(pageFields)
      .partial()
      .optional()
      .describe('How each page is requested: the fields of a scrape. Absent: as a plain scrape.')
      .meta({ examples: [{ format: 'markdown' }] }),
  }),
);

/** The same with an unchecked `request`. */
export const CrawlFrame = withConditions(
  common.extend({ request: z.record(z.string(), z.unknown()).default({}) }),
);
export type CrawlFrame = z.infer<typeof CrawlFrame>;

function withConditions<S extends z.ZodType<Sent>>(schema: S): S {
  return checkedBy<Sent, S>(schema, conditions);
}

/** Fields of all pages that a crawl requests, by their names at the border. */
export const pageFieldNames: readonly string[] = Object.keys(pageFields);

const { url: _url, webhook: _webhook, tags: _crawlTags, ...kept } = fields;

/**
 * What a crawl keeps of its request, with defaults filled in. Seeds are as URLs are written, without their
 * fragment; `request` has the fields of each page, as sent.
 */
export const CrawlRequest = camelCased(
  z.object({ ...kept, urls: z.array(z.string()), request: StoredFields }),
);
export type CrawlRequest = z.infer<typeof CrawlRequest>;

/** Which URLs of an ended crawl are retried, by how they ended. */
export const RetryInclude = z.array(z.enum(['failed', 'wall', 'target_status'])).min(1);
export type RetryInclude = z.infer<typeof RetryInclude>;

export const CrawlRetryRequest = z.strictObject({
  include: RetryInclude.default(['failed'])
    .describe(
      '`failed`: URLs whose request failed, or was not made because of a cancel, the deadline or the credits. `wall`: pages that were bot walls. `target_status`: pages that were not charged because of their status. Absent: `failed`.',
    )
    .meta({ examples: [['failed', 'wall']] }),
});
export type CrawlRetryRequest = z.infer<typeof CrawlRetryRequest>;
