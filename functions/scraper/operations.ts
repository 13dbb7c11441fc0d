import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Operations } from '../../shared/http/respond.ts';
import {
  mapRequestFromBody,
  type TargetPolicy,
  scrapeRequestFromBody,
  scrapeRequestFromQuery,
} from '../../shared/request/parse-scrape-request.ts';
import { CREDITS_REASON } from '../../shared/http/problem.ts';
import { invalidField } from '../../shared/request/fault.ts';
import { pageReply, sliceHeaders } from '../../shared/http/reply.ts';
import type { MapRequest } from '../../shared/contract/crawls/map.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { CacheQuery } from '../../shared/contract/scrape/shaping-fields.ts';
import { parseTargetUrl } from '../../shared/domain/scrape/target/target-url.ts';
import { AppError } from '../../shared/errors.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { forgetPages } from '../../shared/use-cases/scrape/page-cache.ts';
import { compatScrapes } from './compat.ts';
import { mapNow } from './map-now.ts';
import { scrapeNow, type ScrapeNeeds } from './scrape-now.ts';

export function scraperOperations(
  fx: ScrapeNeeds,
  policy: TargetPolicy,
  crawler: Crawler,
): Operations<'scraper'> {
  const scrapeBy =
    (read: (call: AuthenticatedCall, policy: TargetPolicy) => ScrapeRequest) =>
    async (call: AuthenticatedCall) => {
      refuseIdempotencyKey(call);
      const { page, ended } = await scrapeNow(fx, read(call, policy), call);
      const { body, slice, ...head } = page;
      const reply = pageReply(head, body);
      const reason = { [CREDITS_REASON]: ended.reason };
      return { ...reply, headers: { ...reply.headers, ...sliceHeaders(slice), ...reason } };
    };
  const map = (request: MapRequest, call: AuthenticatedCall) =>
    mapNow(fx, { request, token: crawler.robotsToken }, call);
  return {
    ...compatScrapes(fx, policy, map),
    scrape: scrapeBy(scrapeRequestFromBody),
    scrapeSimple: scrapeBy(scrapeRequestFromQuery),
    mapSite: async (call) => {
      refuseIdempotencyKey(call);
      const request = mapRequestFromBody(call, policy);
      if (request.robots === 'ignore' && !crawler.mayIgnoreRobots)
        throw new AppError('robots_required', { fields: { param: 'robots' } });
      return map(request, call);
    },
    forgetPages: async (call) => {
      const { url } = readQuery(call, CacheQuery);
      const { organization } = call.session;
      await forgetPages(fx, organization.id, parseTargetUrl(url, policy).href);
      return { status: 204, headers: {}, body: '' };
    },
  };
}

/** How the service presents itself to sites, and whether callers may ignore what those say to it. */
export type Crawler = { robotsToken: string; mayIgnoreRobots: boolean };

/** A caller that sends one relies on it, and a sync scrape would be charged again. */
function refuseIdempotencyKey({ headers }: AuthenticatedCall): void {
  if (headers['idempotency-key'] === undefined) return;
  throw invalidField(
    'Idempotency-Key',
    'Idempotency-Key is only accepted when you submit jobs or batches, for example POST /api/v1/scraper/jobs. Send a sync scrape without it.',
  );
}
