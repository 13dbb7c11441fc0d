import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { camelCased } from '../case.ts';
import { Tag } from '../jobs/job-request.ts';
import { VerdictKind } from '../scrape/verdict.ts';
import { epochSeconds, isoDate } from '../time.ts';
import { CrawlRequest, RetryInclude } from './crawl-request.ts';

export const CrawlId = z.uuid();

/** What became of a URL that was discovered. Each has exactly one. */
export const Outcome = z.enum([
  'page',
  'failed',
  'unchanged',
  'duplicate',
  'robots',
  'content_use',
  'excluded',
  'out_of_scope',
  'depth',
  'limit',
  'budget',
  'deadline',
  'cancelled',
  'too_long',
  'trap',
]);
export type Outcome = z.infer<typeof Outcome>;

export const CrawlStatus = z.enum(['running', 'completed', 'cancelled']);

/** What led to a URL first. */
export const Via = z.enum(['seed', 'sitemap', 'link', 'redirect', 'canonical']);
export type Via = z.infer<typeof Via>;

export const StopReason = z.enum([
  'done',
  'limit',
  'max_credits',
  'deadline',
  'cancelled',
  'robots',
  'unreachable',
]);
export type StopReason = z.infer<typeof StopReason>;

const outcomeCounts = z.partialRecord(Outcome, z.int());
export type OutcomeCounts = z.infer<typeof outcomeCounts>;

/** URLs that are being fetched: a batch of the crawl's own, whose lines are numbered on from the wave before. */
const Wave = z.object({ batch_id: z.uuid(), first_line: z.int(), lines: z.int() });

/**
 * A stored crawl. What it knows of URLs is in files under `results/<org>/<crawl>`, which its manifest lists;
 * counts are those of the manifest.
 */
export const Crawl = camelCased(
  z.object({
    id: CrawlId,
    org_id: z.string(),
    key_id: z.string(),
    /** The submitting request's id. */
    request_id: z.string(),
    request: CrawlRequest,
    status: CrawlStatus,
    stop_reason: StopReason.optional(),
    /** The key of the manifest; absent until the seeds were read. Its version counts merges. */
    manifest: z.string().optional(),
    version: z.int(),
    /** URLs with an outcome, URLs that wait, and pages asked for so far without the wave's. */
    outcomes: outcomeCounts,
    queued: z.int(),
    asked: z.int(),
    wave: camelCased(Wave).optional(),
    /** Charged for merged waves. */
    credits: z.int(),
    /** What is still to be given back for a merge, once: see `UsageLedger.giveBack`. */
    refund: z
      .object({ turn: z.int(), period: z.string(), charged: z.int(), counts: z.record(z.string(), z.int()) })
      .optional(),
    /** Of two processes that believe they merge, the one with the lower number is wrong. */
    fencing_token: z.int(),
    leased_until: isoDate.optional(),
    /** Counts writes. */
    revision: z.int(),
    /** The crawl whose failed URLs it tries again. */
    retry_of: z.uuid().optional(),
    /** Which of its URLs: see `isRetried`. */
    retry_include: RetryInclude.optional(),
    tags: z.array(Tag).optional(),
    webhook: z.string().optional(),
    created_at: isoDate,
    deadline_at: isoDate,
    cancelled_at: isoDate.optional(),
    completed_at: isoDate.optional(),
    /** When the sweeper looks at it. Absent once its end was told. */
    due_at: isoDate.optional(),
    expires_at: epochSeconds,
  }),
);
export type Crawl = z.infer<typeof Crawl>;

/** A URL of a crawl's ledger. */
export const LedgerLine = z.object({
  url: z.string().describe('As it is spelled where it was found first, without its fragment.'),
  outcome: Outcome,
  depth: z.int().describe('Link hops from a seed. URLs of sitemaps have 1.'),
  via: Via.describe('What led to it first.'),
  found_on: z.string().optional().describe('The page, sitemap or feed that led to it first.'),
  lastmod: z.string().optional().describe('When it was changed, as a sitemap or feed says.'),
  same_as: z.string().optional().describe('Of a duplicate: the URL with the same page.'),
  target_status: z.int().optional().describe("The status of the target's last response."),
  verdict: VerdictKind.optional(),
  error_code: z.enum(errorCodes).optional().describe('Why it failed.'),
  disallowed: z.literal(true).optional().describe('With `"robots": "report"`: robots.txt disallows it.'),
});
export type LedgerLine = z.infer<typeof LedgerLine>;

/** A sitemap or feed that a host has. */
const SitemapRead = z.object({
  url: z.string(),
  status: z.int().optional(),
  urls: z.int().optional(),
  error: z.string().optional(),
});

/** A host of a crawl, as its caller sees it. */
export const CrawlHost = z.object({
  host: z.string(),
  robots: z.enum(['found', 'none', 'unreachable', 'forbidden']),
  robots_status: z.int().optional(),
  crawl_delay: z.number().optional().describe('Seconds between two requests, as its robots.txt says.'),
  crawl_delay_capped: z.literal(true).optional().describe('It is longer than 30 seconds, which are kept.'),
  sitemaps: z.array(SitemapRead),
  paused_until: z.iso.datetime().optional(),
  content_usage: z.string().optional().describe('`Content-Usage` or `Content-Signal` of its robots.txt.'),
});
export type CrawlHost = z.infer<typeof CrawlHost>;

const HostRead = CrawlHost.extend({
  rules: z.string().optional(),
  /** Its sitemaps are read, or are among the unread ones. */
  is_listed: z.literal(true).optional(),
});
export type HostRead = z.infer<typeof HostRead>;

/** What a crawl knows after a merge: `results/<org>/<crawl>/manifest-<version>-<token>.json.gz`. */
export const Manifest = camelCased(
  z.object({
    version: z.int(),
    /** Parts of the ledger in their order: lines of JSON as gzip, each a `LedgerLine`. */
    ledger: z.array(z.object({ key: z.string(), lines: z.int(), outcomes: outcomeCounts })),
    /** Files of URLs that wait, in their order. `from`: lines before that one were taken. */
    queue: z.array(z.object({ key: z.string(), from: z.int(), lines: z.int() })),
    /** Parts of what only the merge reads: see `crawl-keys.ts`. */
    seen: z.array(z.string()),
    hashes: z.array(z.string()),
    fruitless: z.array(z.string()),
    /** When pages were fetched and how to request them if they have changed: parts, for a later crawl. */
    pages: z.array(z.string()),
    /** The requests of the wave that follows, in chunks of one host each. */
    wave: z
      .object({
        key: z.string(),
        version: z.string(),
        /** Lines of each chunk. */
        sizes: z.array(z.int()),
      })
      .optional(),
    /** Merged waves in their order. `dropped`: lines that are no results, such as duplicates. */
    waves: z.array(
      z.object({
        batch_id: z.uuid(),
        first_line: z.int(),
        lines: z.int(),
        dropped: z.array(z.int()).optional(),
      }),
    ),
    /** In the order of discovery; `rules` is the text of robots.txt. */
    hosts: z.array(HostRead),
    /** Origins that redirects have proved to be one site, each with the origin that it counts as. */
    same_as: z.array(z.tuple([z.string(), z.string()])),
    /** Whether the seeds have their outcomes or wait. */
    begun: z.boolean(),
    /** URLs that were put into the queue, links that were found on pages, and pages with links. */
    placed: z.int(),
    links: z.int(),
    linked: z.int(),
    /** Seeds, and how many robots.txt disallows, have no robots.txt that can be read, or have answered. */
    seeds: z.object({ total: z.int(), disallowed: z.int(), unreachable: z.int(), answered: z.int() }),
    /** Sitemaps still to be read. */
    unread: z.array(z.object({ host: z.string(), url: z.string(), depth: z.int(), guess: z.boolean() })),
    /** Pages that have not changed since an earlier crawl, whose links there are still to be followed. */
    unchanged: z.array(z.object({ url: z.string(), depth: z.int() })),
  }),
);
export type Manifest = z.infer<typeof Manifest>;

/** A line of a wave's requests, in the form that workers read; `request` fields are the batch's defaults. */
export const WaveLine = z.object({
  url: z.string(),
  crawl: z.object({
    /** The place in the order of discovery, from 0. */
    place: z.int(),
    depth: z.int(),
    via: Via,
    found_on: z.string().optional(),
    lastmod: z.string().optional(),
    disallowed: z.literal(true).optional(),
    /** Milliseconds between two requests to its host: the same for all lines of a host. */
    delay: z.int().optional(),
    /** Of an earlier crawl's page: it is requested only if it has changed. */
    since: z.object({ etag: z.string().optional(), last_modified: z.string().optional() }).optional(),
  }),
});
export type WaveLine = z.infer<typeof WaveLine>;

/**
 * What a worker found at a URL: a line of JSON in
 * `results/<org>/<batch>/<chunk>-<token>-found.ndjson.gz`, beside the results of the same turn.
 */
export const Found = z.object({
  /** Its number in the crawl. */
  line: z.int(),
  outcome: z.enum(['page', 'failed', 'unchanged']),
  /** What it cost, and how it was counted. */
  credits: z.int(),
  counter: z.string(),
  target_status: z.int().optional(),
  verdict: VerdictKind.optional(),
  error_code: z.enum(errorCodes).optional(),
  /** After redirects, if it is another one. */
  url: z.string().optional(),
  canonical: z.string().optional(),
  /** Of the bytes as they came: 16 hexadecimal digits. */
  hash: z.string().optional(),
  /** The header `Content-Usage` or `Content-Signal`. */
  content_usage: z.string().optional(),
  etag: z.string().optional(),
  last_modified: z.string().optional(),
  fetched_at: z.iso.datetime(),
  /** Absolute, without fragments, in document order, each once. */
  links: z.array(z.string()).optional(),
});
export type Found = z.infer<typeof Found>;
