import type { ScrapeRequest } from '../../../contract/scrape/scrape-request.ts';
import type { PageHead } from '../../../contract/scrape/page.ts';
import type { PageVerdict, VerdictKind } from '../../../contract/scrape/verdict.ts';
import { AppError } from '../../../errors.ts';

const NOT_FOUND = 404;
const GONE = 410;

export function cost({ renderJs, premiumProxy }: Pick<ScrapeRequest, 'renderJs' | 'premiumProxy'>): number {
  if (renderJs && premiumProxy) return 25;
  if (premiumProxy) return 10;
  return renderJs ? 5 : 1;
}

/** Throws `cost_cap_exceeded` if a scrape could cost more than its caller wants. */
export function assertCap(
  request: Pick<ScrapeRequest, 'renderJs' | 'premiumProxy' | 'maxCredits'>,
  param = 'max_credits',
): void {
  assertTotal(cost(request), request.maxCredits, { what: 'scrape', param });
}

/** The same for all requests of a batch together. */
export function assertTotal(
  required: number,
  maxCredits = Infinity,
  { what, param } = { what: 'batch', param: 'max_credits' },
): void {
  if (required <= maxCredits) return;
  const credits = required === 1 ? '1 credit' : `${required} credits`;
  throw new AppError('cost_cap_exceeded', {
    message: `This ${what} could cost ${credits}, and its max_credits is ${maxCredits}.`,
    fields: { param, credits_required: required, max_credits: maxCredits },
  });
}

const UNCHARGED: readonly (VerdictKind | undefined)[] = ['bot_wall', 'payment_required'];
const isUncharged = (verdict: PageVerdict | undefined) => UNCHARGED.includes(verdict?.kind);

type Answer = Pick<PageHead, 'status' | 'verdict'>;

/** True for a target's 2xx, 3xx, 404 and 410, which are documents; not for others, and for walls. */
export function isCharged({ status, verdict }: Answer): boolean {
  const isAnswer = status < 400 || status === NOT_FOUND || status === GONE;
  return isAnswer && !isUncharged(verdict);
}

/** What a page costs, once it is known. */
export function charge(request: Pick<ScrapeRequest, 'renderJs' | 'premiumProxy'>, answer: Answer): number {
  return isCharged(answer) ? cost(request) : 0;
}
