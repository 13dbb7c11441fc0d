import type { Organization, Usage } from '../contract/account.ts';
import { type AdmissionRequest, type Bucket, bucketOf, type Refusal } from '../domain/admission.ts';
import { limitsOf } from '../domain/plan.ts';
import { remaining, resetSeconds } from '../domain/rate-limit.ts';
import { AppError } from '../errors.ts';
import type { Effects, Settlement } from '../ports.ts';

/** What one request uses of its organization, and what its answer says about that. */
export type Meter = {
  /** Throws `insufficient_credits`, `rate_limited` or `too_many_concurrent`; nothing is taken then. */
  admit: (request: AdmissionRequest) => Promise<void>;
  /** Frees the slot and charges, once. */
  settle: (settlement: Settlement) => Promise<void>;
  /** Credit and rate limit headers as of the last step, or as of now if there was none. */
  headers: () => Promise<Record<string, string>>;
};

/** A meter for a request that draws from `bucket`. */
export function openMeter(
  { accounts, now }: Pick<Effects, 'accounts' | 'now'>,
  organization: Organization,
  bucket: Bucket,
): Meter {
  let usage: Usage | undefined;
  let charged = 0;
  return {
    admit: async (request) => {
      const admission = await accounts.admit(organization, request, now());
      usage = admission.usage;
      if (admission.outcome === 'refused') throw refusal(admission, request.credits);
    },
    settle: async (settlement) => {
      usage = await accounts.settle(organization, settlement, now());
      charged += settlement.charged;
    },
    headers: async () => usageHeaders((usage ??= await accounts.usage(organization, now())), charged),
  };

  function usageHeaders(current: Usage, used: number): Record<string, string> {
    const { rate, tat } = bucketOf(bucket, limitsOf(organization));
    const at = now().getTime();
    const left = remaining(rate, current[tat], at);
    const reset = resetSeconds(current[tat], at);
    return {
      'X-Credits-Used': String(used),
      'X-Credits-Remaining': String(current.available),
      'X-RateLimit-Limit': String(rate.limit),
      'X-RateLimit-Remaining': String(left),
      'X-RateLimit-Reset': String(Math.ceil(at / 1_000) + reset),
      // draft-ietf-httpapi-ratelimit-headers, structured fields
      'RateLimit-Policy': `"${bucket}";q=${rate.limit};w=${rate.windowMs / 1_000}`,
      RateLimit: `"${bucket}";r=${left};t=${reset}`,
    };
  }
}

function refusal({ code, retryAfter, usage }: Refusal, creditsRequired: number): AppError {
  return code === 'insufficient_credits'
    ? new AppError(code, {
        fields: { credits_required: creditsRequired, credits_remaining: usage.available },
      })
    : new AppError(code, { retryAfter });
}
