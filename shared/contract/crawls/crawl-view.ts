import { z } from 'zod';
import { BatchesQuery, BatchParts, BatchResult, ResultsQuery } from '../batches/batch.ts';
import { CrawlId, CrawlStatus, LedgerLine, Outcome, StopReason } from './crawl.ts';
import { CrawlHost } from './manifest.ts';

const timeOf = (event: string) => z.iso.datetime().describe(`When ${event}, in UTC.`);
const count = (what: string) => z.int().describe(what);
const crawlId = CrawlId.describe('The crawl id.');

/** What became of the URLs of a crawl. */
const outcomes = {
  page: count('Pages, which are its results.'),
  failed: count('Requested without a page: errors, walls and statuses that are not charged.'),
  unchanged: count('With `changed_since`: pages that have not changed.'),
  duplicate: count('The same page as another URL.'),
  robots: count('Disallowed by robots.txt.'),
  content_use: count('The site denies what `content_use` names.'),
  excluded: count('Left out by `include` or `exclude`.'),
  out_of_scope: count('At another site.'),
  depth: count('Further than `max_depth`.'),
  limit: count('Found when `limit` pages had been found.'),
  budget: count('Not requested because of `max_credits` or the balance.'),
  deadline: count('Not requested in time.'),
  cancelled: count('Not requested before the crawl was cancelled.'),
  too_long: count('Over 2,048 characters.'),
  trap: count('Without end: a path that repeats itself, or one with too many queries.'),
} satisfies Record<Outcome, z.ZodType>;

export const CrawlCounts = z.object({
  discovered: count('URLs found: the sum of all other numbers, at every moment.'),
  pending: count('URLs that wait for their request.'),
  running: count('URLs in progress, and URLs without an outcome until their wave ends.'),
  ...outcomes,
});
export type CrawlCounts = z.infer<typeof CrawlCounts>;

/** A crawl in a list and in events. Absent fields are left out, never null. */
export const CrawlView = z.object({
  crawl_id: crawlId,
  status: CrawlStatus.describe(
    '`completed`: every URL has an outcome. `cancelled`: no further request begins; those in progress may still end.',
  ),
  stop_reason: StopReason.optional().describe(
    'Why it ended: `done`, nothing was left to request; `limit`, `max_credits` (also if the balance is used up), `deadline` or `cancelled`; `robots`, robots.txt disallows the pages to begin at; `unreachable`, none of them responded, so that a missing URL proves nothing.',
  ),
  counts: CrawlCounts,
  credits_used: z.int().describe('Credits charged for its pages so far.'),
  url: z.string().describe('The first page to begin at.'),
  retry_of: CrawlId.optional().describe('The crawl whose failed URLs it retries.'),
  tags: z.array(z.string()).optional().describe('The tags as submitted.'),
  created_at: timeOf('the crawl was submitted'),
  deadline_at: timeOf('what has not been requested ends as `deadline`'),
  cancelled_at: timeOf('the crawl was cancelled').optional(),
  completed_at: timeOf('its last URL got its outcome').optional(),
  expires_at: timeOf('the crawl is deleted'),
  status_url: z.url().describe('The URL of its status.'),
  results_url: z.url().describe('The URL of its results.'),
  urls_url: z.url().describe('The URL of its list of URLs.'),
});
export type CrawlView = z.infer<typeof CrawlView>;

/** A crawl when it is submitted. */
export const SubmittedCrawl = CrawlView.extend({
  not_included: z
    .array(z.string())
    .optional()
    .describe('Pages to begin at that `include` or `exclude` leave out. They are requested all the same.'),
});
export type SubmittedCrawl = z.infer<typeof SubmittedCrawl>;

/** A crawl with the hosts of its URLs. */
export const CrawlState = SubmittedCrawl.extend({
  hosts: z.array(CrawlHost).describe('Hosts whose robots.txt was requested, in the order of discovery.'),
});
export type CrawlState = z.infer<typeof CrawlState>;

export const CrawlList = z.object({
  data: z.array(CrawlView),
  next_cursor: z.string().optional().describe('Send it as `cursor` for older crawls. Absent at the end.'),
});
export type CrawlList = z.infer<typeof CrawlList>;

/** How a page came into a crawl, as its results say. */
export const FoundAt = LedgerLine.pick({ depth: true, found_on: true });
export type FoundAt = z.infer<typeof FoundAt>;

/** A line of the results, as of a batch. */
export const CrawlResult = BatchResult.omit({ batch_id: true, custom_id: true, invalid: true }).extend({
  crawl_id: crawlId,
  line: z.int().describe('The place of the URL in the order of requests, from 1.'),
  crawl: FoundAt.describe('How the page was found.'),
});
export type CrawlResult = z.infer<typeof CrawlResult>;

/** The stored results of a crawl. */
export const CrawlParts = BatchParts.extend({
  data: z.array(
    BatchParts.shape.data.element.extend({
      dropped: z
        .array(z.int())
        .optional()
        .describe('Numbers of lines in it that are no results, because their page is that of another URL.'),
    }),
  ),
});
export type CrawlParts = z.infer<typeof CrawlParts>;

export const CrawlsQuery = BatchesQuery;
export type CrawlsQuery = z.infer<typeof CrawlsQuery>;

export const CrawlUrlsQuery = z.strictObject({
  outcome: Outcome.optional().describe('Only URLs with this outcome.'),
  cursor: z.string().max(200).optional().describe('The cursor in the `Link` of the page before.'),
});
export type CrawlUrlsQuery = z.infer<typeof CrawlUrlsQuery>;

export const CrawlResultsQuery = ResultsQuery.extend({
  cursor: z.string().max(8_100).optional().describe('The `cursor` of the last line that you have read.'),
});
export type CrawlResultsQuery = z.infer<typeof CrawlResultsQuery>;
