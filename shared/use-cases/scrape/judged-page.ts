import type { Page } from '../../contract/scrape/page.ts';
import type { PageVerdict } from '../../contract/scrape/verdict.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { isRepeatable } from '../../contract/scrape/target-request.ts';
import { isCharged } from '../../domain/accounts/credits/charge.ts';
import { unpaidPage } from '../../domain/scrape/scenario/unpaid.ts';
import { maybeSent } from '../../domain/scrape/target/maybe-sent.ts';
import { withLocation } from '../../domain/scrape/target/with-location.ts';
import { judge } from '../../domain/scrape/verdict/judge.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import { shapePage, type ShapeNeeds } from './shape-page.ts';

export type Judged = Page & { verdict: PageVerdict };

/** The page as it came, and what it is. */
export async function judgedPage(
  { fetchPage, renderPage }: Pick<Effects, 'fetchPage' | 'renderPage'>,
  request: ScrapeRequest,
  context: ScrapeContext,
): Promise<Judged> {
  context.requestLog.enter(request.renderJs ? 'invoke' : 'fetch');
  const fetched = await (request.renderJs ? renderPage : fetchPage)(request, context);
  const judged = { ...fetched, verdict: fetched.verdict ?? judge(fetched, request.url) };
  // The part that arrived shows nothing.
  if (judged.contentTruncated && judged.verdict.kind === 'empty') throw new AppError('bad_upstream_response');
  return judged;
}

/** What is requested of a page. */
export async function requestedParts(
  fx: ShapeNeeds,
  request: ScrapeRequest,
  page: Judged,
  context: ScrapeContext,
): Promise<Page> {
  const paid = isCharged(page) ? page : unpaidPage(page, request);
  return shapePage(fx, request, paid, context).catch((fault: unknown) => {
    const phase = request.renderJs ? 'render' : 'body';
    const known = withLocation(fault, { url: page.url, isRedirected: false, phase });
    throw isRepeatable(request) ? known : maybeSent(known, request.method ?? 'GET');
  });
}
