import type { Limits, Usage } from '../contract/accounts/account.ts';
import { type AdmissionRequest, readersOf, type Refusal } from '../domain/accounts/credits/admission.ts';
import { bucketOf } from '../domain/accounts/credits/rate-buckets.ts';
import { leftToday } from '../domain/accounts/credits/key-caps.ts';
import { laterDay } from '../domain/accounts/credits/usage-days.ts';
import { AppError } from '../errors.ts';
import { insufficientCredits } from './insufficient-credits.ts';

type Refused = AdmissionRequest & Required<Pick<AdmissionRequest, 'bucket'>> & { limits: Limits };

const CALLS = {
  scrape: 'scrapes and submits a minute',
  read: 'status and result calls a minute',
  send: 'test events and redeliveries a minute',
} as const;

export function refusal({ code, retryAfter, usage }: Refusal, refused: Refused): AppError {
  if (code === 'insufficient_credits') return insufficientCredits(refused.credits, usage.credits);
  if (code === 'key_not_allowed') return dailyCapReached(refused, usage);
  const { limit, what, hint = '' } = limitOf(code, refused);
  const seconds = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  const message = `The limit is ${limit} ${what}. Try again in ${seconds}${hint}.`;
  return new AppError(code, { message, retryAfter, fields: { limit } });
}

function limitOf(code: 'rate_limited' | 'too_many_concurrent', { bucket, limits, reader }: Refused) {
  if (code === 'rate_limited') return { limit: bucketOf(bucket, limits).rate.limit, what: CALLS[bucket] };
  if (!reader) return { limit: limits.concurrency, what: 'scrapes in progress' };
  if (reader.isWaiting) return { limit: readersOf(limits, reader), what: 'calls that wait at the same time' };
  return {
    limit: readersOf(limits),
    what: 'large responses at the same time',
    hint: ', or read results with "Prefer: respond-redirect"',
  };
}

function dailyCapReached({ key, credits }: Refused, usage: Usage): AppError {
  if (key === undefined) throw new Error('Only a capped key can reach its cap');
  const left = leftToday(usage.limits.caps, key);
  const resets = `${laterDay(usage.credits.day, 1)}T00:00:00.000Z`;
  return new AppError('key_not_allowed', {
    message: `This key may use ${key.creditsPerDay} credits a day. This scrape may cost ${credits}, and ${left} are left until ${resets}.`,
    fields: {
      limit: key.creditsPerDay,
      credits_required: credits,
      credits_remaining: left,
      resets_at: resets,
    },
  });
}
