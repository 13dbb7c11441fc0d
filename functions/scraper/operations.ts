import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Operations } from '../../shared/http/respond.ts';
import {
  type TargetPolicy,
  scrapeRequestFromBody,
  scrapeRequestFromQuery,
} from '../../shared/request/parse-scrape-request.ts';
import { pageReply } from '../../shared/http/reply.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape-request.ts';
import type { Effects } from '../../shared/ports.ts';
import { scrapeNow } from './scrape-now.ts';

/** The scraper's routes. */
export function scraperOperations(
  fx: Pick<Effects, 'fetchPage' | 'renderPage' | 'count' | 'now'>,
  policy: TargetPolicy,
): Operations<'scraper'> {
  const answer = async (request: ScrapeRequest, call: AuthenticatedCall) => {
    const { body, ...head } = await scrapeNow(fx, request, call);
    return pageReply(head, body);
  };
  return {
    scrape: async (call) => answer(scrapeRequestFromBody(call, policy), call),
    scrapeSimple: async (call) => answer(scrapeRequestFromQuery(call, policy), call),
  };
}
