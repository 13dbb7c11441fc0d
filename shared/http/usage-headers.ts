import type { Limits, Usage } from '../contract/accounts/account.ts';
import { type Bucket, bucketOf } from '../domain/accounts/credits/rate-buckets.ts';
import { remaining, resetSeconds } from '../domain/accounts/credits/rate-limit.ts';

/** Credits used by this request and left, and the state of the rate limit. */
export function usageHeaders(
  usage: Usage,
  used: number,
  bucket: Bucket,
  limits: Limits,
  now: Date,
): Record<string, string> {
  const { rate, tat } = bucketOf(bucket, limits);
  const at = now.getTime();
  const left = remaining(rate, usage.limits[tat], at);
  const reset = resetSeconds(usage.limits[tat], at);
  return {
    'X-Credits-Used': String(used),
    'X-Credits-Remaining': String(usage.credits.available),
    'X-RateLimit-Limit': String(rate.limit),
    'X-RateLimit-Remaining': String(left),
    'X-RateLimit-Reset': String(Math.ceil(at / 1_000) + reset),
    // draft-ietf-httpapi-ratelimit-headers, structured fields
    'RateLimit-Policy': `"${bucket}";q=${rate.limit};w=${rate.windowMs / 1_000}`,
    RateLimit: `"${bucket}";r=${left};t=${reset}`,
  };
}
