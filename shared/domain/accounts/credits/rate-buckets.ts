import type { Limits } from '../../../contract/accounts/account.ts';
import { MINUTE_MS } from '../../../time/units.ts';
import type { RateLimit } from './rate-limit.ts';

/** `send`: test events and redeliveries, which have the notifier call any receiver for nothing. */
export type Bucket = 'scrape' | 'read' | 'send';

const SENDS_PER_MINUTE = 30;

type BucketTat = 'scrapeTat' | 'readTat' | 'sendTat';

export function bucketOf(bucket: Bucket, limits: Limits): { rate: RateLimit; tat: BucketTat } {
  const perMinute = { scrape: limits.rpm, read: limits.readsPerMinute, send: SENDS_PER_MINUTE } as const;
  return { rate: { limit: perMinute[bucket], windowMs: MINUTE_MS }, tat: `${bucket}Tat` };
}
