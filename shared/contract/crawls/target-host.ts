import { z } from 'zod';

/** What one crawl does at a host. Times are unix milliseconds. */
const CrawlAtHost = z.object({
  /** Until when chunks of it are in hand, by their ids. */
  places: z.record(z.string(), z.number()),
  /** No request begins earlier. */
  nextAt: z.number().optional(),
  /** After a 429 or 503. */
  pausedUntil: z.number().optional(),
  /** In a row. */
  pauses: z.int(),
});
export type CrawlAtHost = z.infer<typeof CrawlAtHost>;

/** A host that crawls of any organization request, by the ids of the crawls. */
export const TargetHost = z.object({
  host: z.string(),
  version: z.int(),
  crawls: z.record(z.string(), CrawlAtHost),
});
export type TargetHost = z.infer<typeof TargetHost>;
