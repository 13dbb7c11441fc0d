import type { MetricName } from '../observe/metrics.ts';
import type { AccountEffects, Activity } from './accounts.ts';
import type { BatchEffects } from './batches.ts';
import type { CrawlEffects } from './crawls.ts';
import type { JobEffects } from './jobs.ts';
import type { PeopleEffects } from './people.ts';
import type { ScrapeEffects } from './scrape.ts';
import type { WebhookEffects } from './webhooks.ts';

/** Adds to a metric; `of` is the value of its extra dimension. Never throws. */
export type Count = (metric: MetricName, value: number, of?: string) => void;

type Surroundings = {
  activity: Activity;
  count: Count;
  /** The API's URL for callers, without a trailing slash. */
  apiUrl: string;
  now: () => Date;
  newId: () => string;
  wait: (ms: number) => Promise<void>;
};

/** Every effect of the service. A use case names the few it needs. */
export type Effects = AccountEffects &
  BatchEffects &
  CrawlEffects &
  JobEffects &
  PeopleEffects &
  ScrapeEffects &
  Surroundings &
  WebhookEffects;
