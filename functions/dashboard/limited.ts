import {
  bucketName,
  type Form,
  formLimits,
  mailLimit,
  pageLimit,
} from '../../shared/domain/people/form-limits.ts';
import { AppError } from '../../shared/errors.ts';
import type { Needs } from './needs.ts';
import type { PageCall } from './page-call.ts';

/** Takes a place for this browser's network, and one for the e-mail address. Throws `rate_limited`. */
export async function takeRateLimit(fx: Needs, call: PageCall, form: Form, email?: string): Promise<void> {
  const kinds = [
    ['address', call.address],
    ['email', email],
  ] as const;
  for (const [kind, value] of kinds) {
    if (value === undefined) continue;
    const seconds = await fx.rateLimits.take(bucketName(form, kind, value), formLimits[kind], fx.now());
    if (seconds > 0) throw tooMany(seconds);
  }
}

/** Takes a place for a code to an address, whether or not it has an account. Throws `rate_limited`. */
export async function takeMailLimit(fx: Needs, email: string): Promise<void> {
  const wait = await secondsToMail(fx, email);
  if (wait > 0) throw tooMany(wait);
}

/** Takes that place: 0, or the seconds until there is one. */
export const secondsToMail = ({ rateLimits, now }: Needs, email: string): Promise<number> =>
  rateLimits.take(bucketName('mail', 'email', email), mailLimit, now());

/** Takes a place for a page of the organization's members. Throws `rate_limited`. */
export async function takePageLimit({ rateLimits, now }: Needs, orgId: string): Promise<void> {
  const retryAfter = await rateLimits.take(`pages#${orgId}`, pageLimit, now());
  const message = `Your organization requests many pages. Try again in ${retryAfter === 1 ? '1 second' : `${retryAfter} seconds`}.`;
  if (retryAfter > 0) throw new AppError('rate_limited', { message, retryAfter });
}

function tooMany(retryAfter: number): AppError {
  const wait = retryAfter > 90 ? `${Math.ceil(retryAfter / 60)} minutes` : `${retryAfter} seconds`;
  return new AppError('rate_limited', { message: `Too many attempts. Try again in ${wait}.`, retryAfter });
}

/** Longer than Cognito takes, so that known and unknown addresses get a response after the same time. */
const STEP_MS = 1_500;

/** Does the work in a multiple of one and a half seconds, however it ends. */
export async function inConstantTime<T>(
  { now, wait }: Pick<Needs, 'now' | 'wait'>,
  work: () => Promise<T>,
): Promise<T> {
  const startedAt = now().getTime();
  try {
    return await work();
  } finally {
    const took = now().getTime() - startedAt;
    await wait(STEP_MS * Math.ceil(Math.max(took, 1) / STEP_MS) - took);
  }
}
