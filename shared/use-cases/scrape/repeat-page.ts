import { howOf, type Kind, kindOf, PRICES } from '../../contract/scrape/mode.ts';
import type { CachedPage } from '../../contract/scrape/cached-page.ts';
import type { Page } from '../../contract/scrape/page.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { rungsOf } from '../../domain/scrape/ladder.ts';
import {
  conditionalKind,
  conditionsOf,
  isUnchanged,
  mayRevalidate,
  validatorsOf,
} from '../../domain/scrape/cache/freshness.ts';
import type { GetPage, ScrapeContext } from '../../ports/scrape.ts';
import { deadline } from '../../time/deadline.ts';
import { SECOND_MS } from '../../time/units.ts';
import { getPage, type PageNeeds } from './get-page.ts';
import { type CacheNeeds, type Caller, findRepeat, freshPage, keptPage, type Repeat } from './page-cache.ts';

type Needs = PageNeeds & CacheNeeds;

/** The kept page of a request, if it is young enough or unchanged, or else a new one. */
export async function repeatPage(
  fx: Needs,
  request: ScrapeRequest,
  context: ScrapeContext,
  caller: Caller,
): Promise<Page> {
  const repeat = await findRepeat(fx, request, caller);
  const kept = repeat && (await freshPage(fx, repeat));
  return kept ?? currentPage(fx, request, context, repeat);
}

/** The page of a request, for which no kept one is young enough. */
export async function currentPage(
  fx: Needs,
  request: ScrapeRequest,
  context: ScrapeContext,
  repeat: Repeat | undefined,
): Promise<Page> {
  if (repeat === undefined) return getPage(fx, request, context);
  const { key, kept } = repeat;
  const isAsked = kept !== undefined && mayRevalidate(kept, request) && isPaid(request, context, kept);
  if (!isAsked) return missed(fx, request, context);
  const conditional = conditionalFetch(fx, request, context, kept);
  const answer = await conditional.catch(() => undefined);
  if (answer && isUnchanged(answer, kept)) {
    const page = await keptPage(fx, kept);
    if (page) {
      const renewed = { ...kept, ...validatorsOf(answer.headers, kept), fetchedAt: fx.now() };
      await fx.pageCache.renew(key, renewed).catch(() => undefined);
      context.requestLog.note({ targetStatus: answer.status, bytes: page.body.byteLength });
      fx.count('ScrapeSucceeded', 1);
      return { ...page, cache: 'revalidated', age: 0, rung: conditionalKind(request, kept) };
    }
  }
  const isUsable = answer === undefined || !CONDITION_STATUSES.includes(answer.status);
  const fetchPage = isUsable
    ? reusing(fx.fetchPage, conditional, conditionalKind(request, kept))
    : fx.fetchPage;
  return missed({ ...fx, fetchPage }, request, context);
}

/** Not Modified and Precondition Failed, which no other request gets. */
const CONDITION_STATUSES: readonly number[] = [304, 412];

async function missed(fx: PageNeeds, request: ScrapeRequest, context: ScrapeContext): Promise<Page> {
  return { ...(await getPage(fx, request, context)), cache: 'miss' };
}

function isPaid(request: ScrapeRequest, { heldCredits = Infinity }: ScrapeContext, kept: CachedPage) {
  return PRICES[conditionalKind(request, kept)] <= heldCredits;
}

/** For a document that is requested only to ask whether it has changed. */
const CONDITIONAL_MS = 10 * SECOND_MS;

/** Requests the document of a page, unless it is still the kept one. */
async function conditionalFetch(
  { fetchPage }: Pick<Needs, 'fetchPage'>,
  request: ScrapeRequest,
  context: ScrapeContext,
  kept: CachedPage,
): Promise<Page> {
  const kind = conditionalKind(request, kept);
  const document = { ...request, ...howOf(kind), headers: conditionsOf(kept) };
  context.requestLog.enter('fetch');
  if (rungsOf(request).includes(kind)) return fetchPage(document, context);
  using within = deadline(CONDITIONAL_MS, context.signal);
  return await fetchPage(document, { ...context, signal: within.signal });
}

/** The web, whose next page of that kind has been requested. */
function reusing(fetchPage: GetPage, requested: Promise<Page>, kind: Kind): GetPage {
  let next: Promise<Page> | undefined = requested;
  return (request, context) => {
    const page = kindOf(request) === kind ? next : undefined;
    if (page === undefined) return fetchPage(request, context);
    next = undefined;
    return page;
  };
}
