import type { Page } from '../../contract/scrape/page.ts';
import { isRepeatable } from '../../contract/scrape/target-request.ts';
import { isCharged } from '../../domain/accounts/credits/charge.ts';
import { unpaidError, unpaidPage } from '../../domain/scrape/scenario/unpaid.ts';
import { maybeSent } from '../../domain/scrape/target/maybe-sent.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { withLocation } from '../../domain/scrape/target/with-location.ts';
import { judge } from '../../domain/scrape/verdict/judge.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import { shapePage } from './shape-page.ts';

/** Fetches or renders the page and takes from it what is requested. Throws the ports' errors. */
export async function getPage(
  { fetchPage, renderPage, convert, count }: Pick<Effects, 'fetchPage' | 'renderPage' | 'convert' | 'count'>,
  request: ScrapeRequest,
  context: ScrapeContext,
): Promise<Page> {
  const { requestLog } = context;
  requestLog.enter(request.renderJs ? 'invoke' : 'fetch');
  try {
    const fetched = await (request.renderJs ? renderPage : fetchPage)(request, context);
    const judged = { ...fetched, verdict: fetched.verdict ?? judge(fetched, request.url) };
    // The part that arrived shows nothing.
    if (judged.contentTruncated && judged.verdict.kind === 'empty')
      throw new AppError('bad_upstream_response');
    const paid = isCharged(judged) ? judged : unpaidPage(judged, request);
    const page = await shapePage({ convert }, request, paid, context).catch((fault: unknown) => {
      const phase = request.renderJs ? 'render' : 'body';
      const known = withLocation(fault, { url: fetched.url, isRedirected: false, phase });
      throw isRepeatable(request) ? known : maybeSent(known, request.method ?? 'GET');
    });
    requestLog.note({ targetStatus: page.status, bytes: page.body.byteLength });
    count('ScrapeSucceeded', 1);
    return page;
  } catch (fault) {
    const error = unpaidError(fault, request);
    const { code } = toAppError(error);
    // A page came, though its job wants another one.
    count('ScrapeSucceeded', code === 'target_status' ? 1 : 0);
    if (code !== 'target_status') count('ScrapeFailed', 1, code);
    throw error;
  }
}
