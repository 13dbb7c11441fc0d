import type { Outcome, StopReason, Via } from '../../../shared/contract/crawls/crawl.ts';
import type { CrawlHost } from '../../../shared/contract/crawls/manifest.ts';

/** What became of a URL, in words. */
export const outcomeNames: Readonly<Record<Outcome, string>> = {
  page: 'Page',
  failed: 'Failed',
  unchanged: 'Unchanged',
  duplicate: 'Duplicate',
  robots: 'Disallowed by robots.txt',
  content_use: 'Use denied by the site',
  excluded: 'Excluded',
  out_of_scope: 'At another site',
  depth: 'Too deep',
  limit: 'Over the limit',
  budget: 'Out of credits',
  deadline: 'Out of time',
  cancelled: 'Cancelled',
  too_long: 'Too long',
  trap: 'Trap',
};

export const stopReasons: Readonly<Record<StopReason, string>> = {
  done: 'nothing was left to request',
  limit: 'the limit of pages was reached',
  max_credits: 'the credits for it were used up',
  deadline: 'its time was over',
  cancelled: 'it was cancelled',
  robots: 'robots.txt disallows the pages to begin at',
  unreachable: 'no page to begin at responded, so a missing URL proves nothing',
};

export const viaNames: Readonly<Record<Via, string>> = {
  seed: 'Begun here',
  sitemap: 'In the sitemap',
  link: 'Linked from',
  redirect: 'Redirected from',
  canonical: 'Canonical of',
};

export const robotsNames: Readonly<Record<CrawlHost['robots'], string>> = {
  found: 'Found',
  none: 'None',
  unreachable: 'Did not come, so nothing is allowed',
  forbidden: 'May not be requested',
};
