import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { CrawlBody, crawlFields } from '../../shared/compat/crawl-options.ts';
import { crawlStatus } from '../../shared/compat/job-status.ts';
import { readOptions } from '../../shared/compat/read-options.ts';
import { hookOf } from '../../shared/compat/webhook-options.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { compatKey, pageReply } from '../../shared/http/compat-reply.ts';
import { json } from '../../shared/http/reply.ts';
import type { Operations } from '../../shared/http/respond.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { crawlRequestFromBody } from '../../shared/request/parse-crawl-request.ts';
import { readJson } from '../../shared/request/read-json.ts';
import { sentJson } from '../../shared/request/sent-json.ts';
import { cancelCrawl, type CancelCrawlNeeds } from '../../shared/use-cases/crawls/cancel-crawl.ts';
import { crawlResults } from '../../shared/use-cases/crawls/crawl-results.ts';
import { findCrawl } from '../../shared/use-cases/crawls/find-crawl.ts';
import { listCrawls } from '../../shared/use-cases/crawls/list-crawls.ts';
import { readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';
import { showCrawl } from '../../shared/use-cases/crawls/show-crawl.ts';
import { emitCompat } from '../../shared/use-cases/webhooks/emit-compat.ts';
import { pictureLinks } from '../../shared/use-cases/scrape/picture-links.ts';
import { type DocumentNeeds, documentReply } from './compat-document.ts';
import { crawlErrors } from './compat-errors.ts';
import { compatExtracts } from './compat-extract.ts';
import { type CrawlPolicy, submitCrawl, type SubmitNeeds } from './submit-crawl.ts';

type Needs = SubmitNeeds &
  CancelCrawlNeeds &
  DocumentNeeds &
  Pick<Effects, 'results' | 'uploads' | 'wait' | 'apiUrl'>;
type Named =
  | `compat${'Crawl' | 'ActiveCrawls' | 'CrawlStatus' | 'CancelCrawl' | 'CrawlErrors' | 'Document'}`
  | keyof ReturnType<typeof compatExtracts>;

const PATH = '/v2/crawl';

/** Crawls in the words of `/v2`. */
export function compatCrawls(fx: Needs, policy: CrawlPolicy): Pick<Operations<'crawls'>, Named> {
  const crawlOf = (call: AuthenticatedCall) =>
    findCrawl(fx, call.session.organization.id, call.params['id'] ?? '');
  return {
    ...compatExtracts(fx, policy),

    compatCrawl: async (call) => json(200, await begun(fx, policy, call)),

    compatCrawlStatus: async (call) => {
      const organization = call.session.organization;
      return pageReply(fx, call, {
        path: PATH,
        find: () => crawlOf(call),
        linkTo: pictureLinks(fx, organization.id),
        statusOf: async (crawl) => crawlStatus(await showCrawl(fx, organization, crawl)),
        linesOf: async (crawl, cursor) => {
          const { waves = [] } = (await readManifest(fx, crawl)) ?? {};
          return crawlResults(fx, crawl, waves, { cursor, include: 'body' });
        },
      });
    },

    compatCancelCrawl: async (call) => {
      await cancelCrawl(fx, call.session.organization.id, (await crawlOf(call)).id);
      return json(200, { success: true, status: 'cancelled' });
    },

    compatDocument: (call) => documentReply(fx, call),

    compatCrawlErrors: async (call) => json(200, await crawlErrors(fx, await crawlOf(call))),

    compatActiveCrawls: async ({ session }) =>
      json(200, { success: true, crawls: (await activeCrawls(fx, session.organization.id)).map(activeOf) }),
  };
}

async function begun(fx: Needs, policy: CrawlPolicy, call: AuthenticatedCall) {
  const options = readOptions(CrawlBody, readJson(call));
  const { fields, warnings } = crawlFields(options);
  const wanted = crawlRequestFromBody(sentJson(fields), policy);
  if (wanted.request.robots === 'ignore' && !policy.mayIgnoreRobots)
    throw new AppError('robots_required', { fields: { param: 'ignoreRobotsTxt' } });
  const submit = { key: compatKey(call), body: wanted };
  const hooked = { ...wanted, compatHook: hookOf(options.webhook) };
  const { crawl } = await submitCrawl(fx, hooked, submit, call);
  await emitCompat(fx, crawl, { of: 'crawl', name: 'started', at: crawl.createdAt });
  return startedOf(fx.apiUrl, crawl.id, warnings);
}

const startedOf = (apiUrl: string, id: string, warnings: readonly string[]) => ({
  success: true,
  id,
  url: `${apiUrl}${PATH}/${id}`,
  ...(warnings.length > 0 && { warning: warnings.join(' ') }),
});

/** Pages of the list that are read for running crawls. */
const MAX_PAGES = 10;

async function activeCrawls(fx: Needs, orgId: string): Promise<Crawl[]> {
  const found: Crawl[] = [];
  let cursor: string | undefined;
  for (let read = 0; read < MAX_PAGES; read += 1) {
    const { crawls, nextCursor } = await listCrawls(fx, orgId, { limit: 100, cursor });
    found.push(...crawls.filter(({ status, completedAt }) => status === 'running' && !completedAt));
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return found;
}

const activeOf = ({ id, orgId, createdAt, request }: Crawl) => ({
  id,
  teamId: orgId,
  url: request.urls[0] ?? '',
  created_at: createdAt.toISOString(),
  options: { limit: request.limit, maxDiscoveryDepth: request.maxDepth, sitemap: request.sitemaps },
});
