import { z } from 'zod';
import { camelCased } from '../case.ts';
import { OutcomeCounts } from './crawl.ts';

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
    ledger: z.array(z.object({ key: z.string(), lines: z.int(), outcomes: OutcomeCounts })),
    /** Files of URLs that wait, in their order. `from`: lines before that one were taken. */
    queue: z.array(
      z.object({
        key: z.string(),
        from: z.int(),
        lines: z.int(),
        /** Of all its lines, taken or not. */
        hosts: z.array(z.string()).optional(),
      }),
    ),
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
    /** URLs that were put into the queue, what links of pages weigh in a merge, and pages with links. */
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
