import type { ScrapeRequest } from '../../../contract/scrape/scrape-request.ts';
import type { Usage } from '../../../contract/accounts/account.ts';
import type { PageHead } from '../../../contract/scrape/page.ts';
import type { PageVerdict, VerdictKind } from '../../../contract/scrape/verdict.ts';
import { type Kind, kindOf, lastTried, modeTriedIn, PRICES } from '../../../contract/scrape/mode.ts';
import { documentCredits, wantedCredits } from '../../../contract/scrape/document.ts';
import { extractionCredits } from '../../../contract/scrape/extract-schema.ts';
import { AppError } from '../../../errors.ts';
import { rungsOf } from '../../scrape/ladder.ts';

const NOT_FOUND = 404;
const GONE = 410;

type Wanted = Pick<ScrapeRequest, 'renderJs' | 'premiumProxy'> & Partial<ScrapeRequest>;

/**
 * What a scrape may cost, the most first: with `mode`, the price of each rung of its ladder; with `document`,
 * before them the highest price with all pages. Each has the price of a model with it.
 */
export function costs(request: Wanted): number[] {
  const prices = rungsOf(request)
    .map((kind) => PRICES[kind] + extractionCredits(request))
    .reverse();
  const [most = NaN] = prices;
  const all = Math.min(
    most + wantedCredits(request.document),
    Math.max(most, request.maxCredits ?? Infinity),
  );
  return all > most ? [all, ...prices] : prices;
}

/** The most that a scrape may cost. */
export const cost = (request: Wanted): number => costs(request)[0] ?? NaN;

/** Throws `cost_cap_exceeded` if a scrape could cost more than its caller wants. */
export function assertCap(request: Wanted, param = 'max_credits'): void {
  const least = costs(request).at(-1) ?? costs({ ...request, maxCredits: undefined }).at(-1) ?? NaN;
  assertTotal(least, request.maxCredits, { what: 'scrape', param });
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

type Answer = Pick<PageHead, 'status' | 'verdict' | 'rung' | 'cache' | 'document' | 'modelTokens'>;

/** True for a target's 2xx, 3xx, 404 and 410, which are documents; not for others, and for walls. */
export function isCharged({ status, verdict }: Answer): boolean {
  const isAnswer = status < 400 || status === NOT_FOUND || status === GONE;
  return isAnswer && !isUncharged(verdict);
}

/** The kind as which a page counts: the rung that it is of, or what was requested. */
export function kindOfPage(request: Wanted, { rung }: { rung?: Kind | undefined }): Kind {
  return rung ?? kindOf(request);
}

/** The same of an error with these fields. */
export function kindOfError(request: Wanted, fields: Readonly<Record<string, unknown>> = {}): Kind {
  return lastTried(modeTriedIn(fields)) ?? kindOf(request);
}

/** Of a scrape that was admitted: what else the balance had then. A key with a cap spends what it holds. */
export function spareCredits({ credits, limits }: Usage, slotId: string): number {
  return limits.caps?.keyOf[slotId] === undefined ? Math.max(0, credits.available) : 0;
}

/** What a page costs, once it is known. A repeat costs nothing. */
export function charge(request: Wanted, answer: Answer): number {
  if (!isCharged(answer) || answer.cache === 'hit') return 0;
  const price = PRICES[kindOfPage(request, answer)];
  // A kept one was not read again.
  if (answer.cache === 'revalidated') return price;
  return (
    price +
    documentCredits(answer.document?.read ?? 0) +
    (answer.modelTokens ? extractionCredits(request) : 0)
  );
}

/** Of a scrape: what it holds, and what else its organization had when that was taken. */
type Balance = { heldCredits?: number | undefined; spareCredits?: number | undefined };

/** Throws `cost_cap_exceeded` if a document has more pages than the caller or the balance pays for. */
export function assertPaid(
  request: Wanted,
  { document }: Pick<PageHead, 'document'>,
  { heldCredits = cost(request), spareCredits = 0 }: Balance,
): void {
  const credits = documentCredits(document?.read ?? 0);
  const required = PRICES[kindOf(request)] + extractionCredits(request) + credits;
  const most = Math.min(request.maxCredits ?? Infinity, heldCredits + spareCredits);
  if (credits === 0 || required <= most) return;
  throw new AppError('cost_cap_exceeded', {
    message: `${document?.read} pages of this document cost ${required} credits, and at most ${most} can be spent on it. Request fewer with document.pages, or allow more with document.max_pages and max_credits.`,
    fields: { param: 'document', credits_required: required, max_credits: most },
  });
}
