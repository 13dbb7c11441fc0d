import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { camelCased } from '../case.ts';
import { Tag } from '../jobs/job-request.ts';
import { VerdictKind } from '../scrape/verdict.ts';
import { CompatHook } from '../webhooks/webhook.ts';
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

export const OutcomeCounts = z.partialRecord(Outcome, z.int());
export type OutcomeCounts = z.infer<typeof OutcomeCounts>;

/** URLs in progress: a batch of the crawl's own. `first_line` follows the last line of the wave before. */
const Wave = z.object({ batch_id: z.uuid(), first_line: z.int(), lines: z.int() });

/**
 * A stored crawl. What it knows of URLs is in files under `results/<org>/<crawl>`, which its manifest lists.
 * Its counts belong to that manifest.
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
    /** URLs with an outcome, URLs that wait, and pages requested before the wave. */
    outcomes: OutcomeCounts,
    queued: z.int(),
    asked: z.int(),
    wave: camelCased(Wave).optional(),
    /** Charged for merged waves. */
    credits: z.int(),
    /** What is still to be given back for a merge, once: see `UsageLedger.giveBack`. */
    refund: z
      .object({ turn: z.int(), period: z.string(), charged: z.int(), counts: z.record(z.string(), z.int()) })
      .optional(),
    /** A merged wave whose pages are still to be sent to its webhook, and when it was merged. */
    unsent: camelCased(z.object({ batch_id: z.uuid(), at: isoDate })).optional(),
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
    compat_hook: CompatHook.optional(),
    created_at: isoDate,
    deadline_at: isoDate,
    cancelled_at: isoDate.optional(),
    completed_at: isoDate.optional(),
    /** When the sweeper looks at it. Absent once its end was reported. */
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
