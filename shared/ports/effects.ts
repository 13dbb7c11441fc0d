import type { MetricName } from '../observe/metrics.ts';
import type { Accounts, Activity } from './accounts.ts';
import type { Batches, UploadEffects } from './batches.ts';
import type { Jobs, Queue, Results } from './jobs.ts';
import type { Identities, People, RateLimits, Sessions, SignUps } from './people.ts';
import type { Convert, GetPage } from './scrape.ts';
import type { WebhookEffects } from './webhooks.ts';

/** Adds to a metric; `of` is the value of its extra dimension. Never throws. */
export type Count = (metric: MetricName, value: number, of?: string) => void;

/** Every effect of the service. A use case names the few it needs. */
export type Effects = WebhookEffects &
  UploadEffects & {
    jobs: Jobs;
    batches: Batches;
    accounts: Accounts;
    activity: Activity;
    identities: Identities;
    people: People;
    sessions: Sessions;
    signUps: SignUps;
    rateLimits: RateLimits;
    queue: Queue;
    results: Results;
    fetchPage: GetPage;
    renderPage: GetPage;
    convert: Convert;
    count: Count;
    /** The URL by which callers know the API, without a slash at its end. */
    apiUrl: string;
    now: () => Date;
    newId: () => string;
    wait: (ms: number) => Promise<void>;
  };
