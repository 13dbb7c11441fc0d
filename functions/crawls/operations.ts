import { CrawlRetryRequest } from '../../shared/contract/crawls/crawl-request.ts';
import { CrawlsQuery } from '../../shared/contract/crawls/crawl-view.ts';
import { AppError } from '../../shared/errors.ts';
import { idempotencyKey } from '../../shared/http/idempotency.ts';
import { listReply } from '../../shared/http/list-reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import { crawlRequestFromBody } from '../../shared/request/parse-crawl-request.ts';
import { readBody } from '../../shared/request/read-body.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { cancelCrawl, type CancelCrawlNeeds } from '../../shared/use-cases/crawls/cancel-crawl.ts';
import { listCrawls } from '../../shared/use-cases/crawls/list-crawls.ts';
import { showCrawls } from '../../shared/use-cases/crawls/show-crawl.ts';
import { compatCrawls } from './compat.ts';
import { crawlId, crawlOf, shown, submitted } from './crawl-replies.ts';
import { resultsReply, urlsReply } from './lines-replies.ts';
import { retryCrawl } from './retry-crawl.ts';
import { type CrawlPolicy, submitCrawl, type SubmitNeeds } from './submit-crawl.ts';

type Needs = SubmitNeeds & CancelCrawlNeeds & Pick<Effects, 'results' | 'uploads' | 'wait' | 'jobs'>;

export function crawlOperations(fx: Needs, policy: CrawlPolicy): Operations<'crawls'> {
  return {
    ...compatCrawls(fx, policy),
    submitCrawl: async (call) => {
      const wanted = crawlRequestFromBody(call, policy);
      if (wanted.request.robots === 'ignore' && !policy.mayIgnoreRobots)
        throw new AppError('robots_required', { fields: { param: 'robots' } });
      const made = await submitCrawl(fx, wanted, { key: idempotencyKey(call), body: wanted }, call);
      return submitted(fx, made, call);
    },

    listCrawls: async (call) => {
      const { organization } = call.session;
      const { crawls, nextCursor } = await listCrawls(fx, organization.id, readQuery(call, CrawlsQuery));
      return listReply(call, await showCrawls(fx, organization, crawls), {
        viewOf: (view) => view,
        positionOf: ({ crawl_id: id }) => id,
        nextCursor,
      });
    },

    getCrawl: async (call) => shown(fx, await crawlOf(fx, call), call),

    cancelCrawl: async (call) => {
      const { organization } = call.session;
      return shown(fx, await cancelCrawl(fx, organization.id, crawlId(call)), call);
    },

    getCrawlUrls: async (call) => urlsReply(fx, await crawlOf(fx, call), call),

    getCrawlResults: async (call) => resultsReply(fx, await crawlOf(fx, call), call),

    retryCrawl: async (call) => {
      const { include } = call.body ? readBody(call, CrawlRetryRequest) : CrawlRetryRequest.parse({});
      const crawl = await crawlOf(fx, call);
      const retry = { key: idempotencyKey(call), include };
      return submitted(fx, await retryCrawl(fx, policy, crawl, retry, call), call);
    },
  };
}
