import { type Crawl, LedgerLine, Outcome } from '../../../shared/contract/crawls/crawl.ts';
import type { Manifest } from '../../../shared/contract/crawls/manifest.ts';
import { CrawlsQuery } from '../../../shared/contract/crawls/crawl-view.ts';
import { AppError } from '../../../shared/errors.ts';
import { readQuery } from '../../../shared/request/read-query.ts';
import { cancelCrawl } from '../../../shared/use-cases/crawls/cancel-crawl.ts';
import { findCrawl } from '../../../shared/use-cases/crawls/find-crawl.ts';
import { listCrawls } from '../../../shared/use-cases/crawls/list-crawls.ts';
import { ledgerLines, readLedger } from '../../../shared/use-cases/crawls/read-ledger.ts';
import { readManifest } from '../../../shared/use-cases/crawls/read-manifest.ts';
import { showCrawl, showCrawls } from '../../../shared/use-cases/crawls/show-crawl.ts';
import { idIn, textIn, unless } from '../answered.ts';
import { foldersOf } from '../folders.ts';
import { type MemberCall, organizationOf } from '../page-call.ts';
import { htmlReply, seeOther } from '../replies.ts';
import type { Needs, Pages } from '../needs.ts';
import { cancelPage } from '../views/cancel-page.ts';
import { crawlPage, missingCrawlPage } from '../views/crawl-page.ts';
import type { ShownLedger } from '../views/crawl-ledger.ts';
import { crawlsPage } from '../views/crawls-page.ts';
import { withNotice } from '../views/notices.ts';
import { chosenIn } from '../views/paged-list.ts';

const CRAWLS_A_PAGE = '25';
const URLS_A_PAGE = 50;
/** Few enough to read for each view of a crawl. */
const COUNTED = { maxLines: 10_000, maxFolders: 40 };

export function crawlsPages(fx: Needs): Pick<Pages, 'crawls' | 'crawl' | 'showCrawlCancel' | 'cancelCrawl'> {
  return {
    crawls: async (call) => {
      const { cursor } = chosenIn(call);
      const wanted = { query: { ...(cursor && { cursor }), limit: [CRAWLS_A_PAGE] } };
      const { crawls, nextCursor } = await listCrawls(fx, call.person.orgId, readQuery(wanted, CrawlsQuery));
      const views = await showCrawls(fx, organizationOf(call), crawls);
      return htmlReply(crawlsPage(call, views, nextCursor));
    },
    crawl: async (call) => {
      const { id = '' } = call.params;
      const crawl = await findCrawl(fx, call.person.orgId, id).catch(unless('not_found'));
      return crawl ? show(fx, call, crawl) : htmlReply(missingCrawlPage(call), { status: 404 });
    },
    showCrawlCancel: async (call) => {
      const { id, request } = await findCrawl(fx, call.person.orgId, idIn(call));
      return htmlReply(
        cancelPage(call, { kind: 'crawl', id, path: `/crawls/${id}`, about: request.urls.join(' ') }),
      );
    },
    cancelCrawl: async (call) => {
      const id = textIn(call, 'id');
      const isCancelled = await cancelCrawl(fx, call.person.orgId, id).then(
        () => true,
        unless('crawl_finished'),
      );
      const path = `/crawls/${id}`;
      return seeOther(call, isCancelled ? withNotice(path, 'crawlStopped') : path);
    },
  };
}

async function show(fx: Needs, call: MemberCall, crawl: Crawl) {
  const [view, manifest] = await Promise.all([
    showCrawl(fx, organizationOf(call), crawl),
    readManifest(fx, crawl),
  ]);
  const ledger = manifest ?? { ledger: [] };
  const [page, folders] = await Promise.all([
    ledgerPage(fx, call, ledger),
    foldersOf(ledgerLines(fx, ledger, Outcome.options), COUNTED),
  ]);
  return htmlReply(crawlPage(call, { crawl: view, ledger: page, folders }));
}

async function ledgerPage(
  fx: Needs,
  call: MemberCall,
  manifest: Pick<Manifest, 'ledger'>,
): Promise<ShownLedger> {
  const { cursor: [cursor = '0'] = [], outcome: [sent] = [] } = chosenIn(call);
  const { success, data: outcome } = Outcome.optional().safeParse(sent);
  if (!success || !/^\d{1,9}$/.test(cursor)) throw new AppError('not_found');
  const from = Number(cursor);
  const { lines, next, isLast } = await readLedger(fx, manifest, { from, outcome, limit: URLS_A_PAGE });
  return {
    lines: lines
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line) => LedgerLine.parse(JSON.parse(line))),
    outcome,
    isFirst: from === 0,
    next: isLast ? undefined : next,
  };
}
