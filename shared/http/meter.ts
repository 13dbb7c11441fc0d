import type { Organization, Usage } from '../contract/account.ts';
import { type AdmissionRequest, type Bucket, bucketOf, periodOf } from '../domain/credits/admission.ts';
import { limitsOf } from '../domain/credits/plan.ts';
import { remaining, resetSeconds } from '../domain/credits/rate-limit.ts';
import type { Ended } from '../domain/credits/usage-days.ts';
import type { Effects, Settlement } from '../ports.ts';
import { insufficientCredits, refusal } from './refusal.ts';

/** What one request uses of its organization, and the headers that report it. */
export type Meter = {
  /** Takes a place in the call's bucket, unless it has one already. Throws `rate_limited`. */
  draw: () => Promise<void>;
  /**
   * Holds credits and a slot, or a reader's place, and takes the place in the bucket if it is not taken yet.
   * Takes nothing if it throws `insufficient_credits`, `rate_limited` or `too_many_concurrent`.
   */
  admit: (request: Omit<AdmissionRequest, 'bucket'>) => Promise<void>;
  /** Whether the balance covered so many credits when the place in the bucket was taken. */
  affords: (credits: number) => boolean;
  /** Throws `insufficient_credits` if it did not. */
  assertCredits: (credits: number) => void;
  /** Begins to free the slot and to charge, once; the response need not wait for it. */
  settle: (settlement: Settlement) => void;
  /** The same once the response has been sent: nothing is charged unless all of it was read. */
  settleOnDelivery: (settlement: Settlement) => void;
  /** Settles the rest and resolves to all credits charged. If it throws, places expire by themselves. */
  finish: (isDelivered: boolean) => Promise<number>;
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
  let isDrawn = false;
  let charged = 0;
  let settling: Promise<unknown> = Promise.resolve();
  const onDelivery: ((isDelivered: boolean) => Promise<unknown>)[] = [];

  const admit: Meter['admit'] = async (request) => {
    const wanted = isDrawn ? request : { ...request, bucket };
    isDrawn = true;
    const admission = await accounts.admit(organization, wanted, now());
    usage = admission.usage;
    if (admission.outcome === 'refused') {
      // A 429 draws from no bucket, every other response does: https://www.rfc-editor.org/rfc/rfc6585#section-4
      isDrawn = admission.code !== 'insufficient_credits';
      throw refusal(admission, { ...request, limits: limitsOf(organization), bucket });
    }
    const { reader } = request;
    if (reader) onDelivery.push(() => accounts.release(organization, reader.id));
  };
  const available = () => usage?.available ?? 0;
  const foresee = ({ held, ended }: Settlement) => {
    charged = ended?.charged ?? 0;
    if (usage) usage = { ...usage, available: usage.available + held - charged };
  };

  return {
    admit,
    draw: async () => {
      if (!isDrawn) await admit({ credits: 0 });
    },
    affords: (credits) => available() >= credits,
    assertCredits: (credits) => {
      if (available() < credits)
        throw insufficientCredits(credits, {
          available: available(),
          period: usage?.period ?? periodOf(now()),
        });
    },
    settle: (settlement) => {
      settling = accounts.settle(organization, settlement, now());
      // `finish` reports the failure.
      settling.catch(() => undefined);
      foresee(settlement);
    },
    settleOnDelivery: (settlement) => {
      onDelivery.push((isDelivered) => {
        const ended = isDelivered ? settlement.ended : undelivered(settlement.ended);
        charged = ended?.charged ?? 0;
        return accounts.settle(organization, { ...settlement, ended }, now());
      });
      foresee(settlement);
    },
    finish: async (isDelivered) => {
      await Promise.all([settling, ...onDelivery.map((step) => step(isDelivered))]);
      return charged;
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

/** Nothing of the page counts as delivered. */
function undelivered(ended: Ended | undefined): Ended | undefined {
  return ended && { ...ended, reason: 'no_page', charged: 0 };
}
