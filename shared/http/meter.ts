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
  /** Begins to free the slot and to charge, once; the answer need not wait for it. */
  settle: (settlement: Settlement) => void;
  /** Once that is done. Throws if it could not be: then the slot runs out, and nothing is charged. */
  settled: () => Promise<void>;
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
  let settling: Promise<void> | undefined;
  return {
    admit: async (request) => {
      const admission = await accounts.admit(organization, request, now());
      usage = admission.usage;
      if (admission.outcome === 'refused') throw refusal(admission, request.credits);
    },
    settle: (settlement) => {
      settling = accounts.settle(organization, settlement, now()).then(() => undefined);
      // Whoever waits for it hears of its fault.
      settling.catch(() => undefined);
      charged = settlement.charged;
      if (usage) usage = { ...usage, available: usage.available + settlement.held - charged };
    },
    settled: () => settling ?? Promise.resolve(),
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
