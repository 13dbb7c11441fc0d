import type { WaveLine } from '../../../shared/contract/crawls/wave.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { howOf, kindOf } from '../../../shared/contract/scrape/mode.ts';
import type { ScrapeRequest } from '../../../shared/contract/scrape/scrape-request.ts';
import { conditionsOf } from '../../../shared/domain/scrape/cache/freshness.ts';
import type { GetPage, ScrapeContext } from '../../../shared/ports/scrape.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { SECOND_MS } from '../../../shared/time/units.ts';

type Since = NonNullable<WaveLine['crawl']['since']>;

/** Of its time, so that enough is left for the page. */
const CONDITIONAL_MS = 10 * SECOND_MS;
const NOT_MODIFIED = 304;
const PRECONDITION_FAILED = 412;

/**
 * Requests a page only if it has changed, without scripts. Returns what says that it has not, or the web with
 * which to get it: a plain page that has come is not requested again.
 */
export async function ifChanged(
  fetchPage: GetPage,
  request: ScrapeRequest,
  { etag, last_modified: lastModified }: Since,
  context: ScrapeContext,
): Promise<{ unchanged: Page } | { fetchPage: GetPage }> {
  const conditions = conditionsOf({ etag, lastModified });
  const plain = { ...request, ...howOf('plain'), headers: { ...request.headers, ...conditions } };
  using within = deadline(CONDITIONAL_MS, context.signal);
  const came = await fetchPage(plain, { ...context, signal: within.signal }).catch(() => undefined);
  if (came?.status === NOT_MODIFIED)
    return { unchanged: { ...came, body: Buffer.of(), cache: 'revalidated', rung: 'plain' } };
  let next = came?.status === PRECONDITION_FAILED ? undefined : came;
  return {
    fetchPage: async (wanted, own) => {
      const page = kindOf(wanted) === 'plain' ? next : undefined;
      next = undefined;
      return page ?? fetchPage(wanted, own);
    },
  };
}
