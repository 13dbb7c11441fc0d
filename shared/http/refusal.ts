import type { Limits, Usage } from '../contract/account.ts';
import {
  type AdmissionRequest,
  bucketOf,
  readersOf,
  type Refusal,
  resetsAt,
} from '../domain/credits/admission.ts';
import { AppError } from '../errors.ts';

type Refused = AdmissionRequest & Required<Pick<AdmissionRequest, 'bucket'>> & { limits: Limits };

const CALLS = { scrape: 'scrapes and submits a minute', read: 'status and result calls a minute' } as const;

/** A refused admission as an error, with its numbers. */
export function refusal({ code, retryAfter, usage }: Refusal, refused: Refused): AppError {
  if (code === 'insufficient_credits') return insufficientCredits(refused.credits, usage);
  const { limit, what, hint = '' } = limitOf(code, refused);
  const seconds = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`;
  const message = `The limit is ${limit} ${what}. Try again in ${seconds}${hint}.`;
  return new AppError(code, { message, retryAfter, fields: { limit } });
}

function limitOf(code: 'rate_limited' | 'too_many_concurrent', { bucket, limits, reader }: Refused) {
  if (code === 'rate_limited') return { limit: bucketOf(bucket, limits).rate.limit, what: CALLS[bucket] };
  if (!reader) return { limit: limits.concurrency, what: 'scrapes in progress' };
  return {
    limit: readersOf(limits),
    what: 'large results being read',
    hint: ', or send "Prefer: respond-redirect"',
  };
}

/** The balance does not cover what a scrape may cost. */
export function insufficientCredits(
  required: number,
  { available, period }: Pick<Usage, 'available' | 'period'>,
): AppError {
  const resets = resetsAt(period).toISOString();
  const credits = required === 1 ? '1 credit' : `${required} credits`;
  return new AppError('insufficient_credits', {
    message: `This scrape may cost ${credits}, and ${available} are left until ${resets}.`,
    fields: { credits_required: required, credits_remaining: available, resets_at: resets },
  });
}
