import type { EndReason } from '../../../shared/contract/accounts/account.ts';
import { snakeKeys } from '../../../shared/contract/case.ts';
import type { WaveLine } from '../../../shared/contract/crawls/wave.ts';
import { modeTriedIn } from '../../../shared/contract/scrape/mode.ts';
import { WhereFailed } from '../../../shared/contract/jobs/job.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { reasonOfError } from '../../../shared/domain/accounts/credits/credits-reason.ts';
import type { AppError } from '../../../shared/errors.ts';
import type { ReadLine } from '../../../shared/request/read-line.ts';
import type { FoundAt } from '../crawls/found-at.ts';

/** A stored line of the results, without what the reader adds. */
export type LineResult = {
  head: Record<string, unknown> & { line: number; status: 'completed' | 'failed' };
  isInvalid: boolean;
  page?: Pick<Page, 'body'>;
  /** Of a URL of a crawl whose page came. */
  found?: FoundAt;
};

type Tried = { line: number; read: ReadLine; attempts: number; crawl?: WaveLine['crawl'] | undefined };
type End = { credits: number; reason: EndReason; startedAt: Date; completedAt: Date };

export function pageLine(tried: Tried, page: Page, end: End): LineResult {
  const {
    status: targetStatus,
    url: targetUrl,
    contentType,
    renderState,
    renderWaiting,
    contentTruncated,
    verdict,
    modeTried,
    cache,
    age,
    body,
  } = page;
  const head = {
    ...about(tried),
    status: 'completed' as const,
    ...snakeKeys({
      startedAt: end.startedAt.toISOString(),
      completedAt: end.completedAt.toISOString(),
      attempts: tried.attempts + 1,
      creditsUsed: end.credits,
      creditsReason: end.reason,
      targetStatus,
      targetUrl,
      contentType,
      bytes: body.byteLength,
      ...readOf(page),
      renderState,
      renderWaiting,
      contentTruncated,
      verdict: verdict?.kind,
      verdictBy: verdict?.by,
      modeTried,
      cache,
      age,
    }),
  };
  return { head, isInvalid: false, page };
}

const readOf = ({ document, modelTokens, extractTruncated }: Page) => ({
  ...{ documentType: document?.kind, documentPages: document?.pages },
  ...{ modelTokens, extractTruncated },
});

/** A line that is no request, or whose request failed. */
export function failedLine(tried: Tried, error: AppError, completedAt: Date, startedAt?: Date): LineResult {
  const isInvalid = tried.read.item === undefined;
  const head = {
    ...about(tried),
    status: 'failed' as const,
    ...(isInvalid && { invalid: true }),
    ...snakeKeys({
      startedAt: startedAt?.toISOString(),
      completedAt: completedAt.toISOString(),
      attempts: tried.attempts,
      creditsUsed: 0,
      creditsReason: reasonOfError(error.code),
      error: error.message,
      errorCode: error.code,
      modeTried: modeTriedIn(error.fields),
    }),
    ...WhereFailed.parse(error.fields),
  };
  return { head, isInvalid };
}

function about({ line, read, crawl }: Tried) {
  const { url, customId, item } = read;
  const tags = item?.tags?.length ? item.tags : undefined;
  const place = crawl && { depth: crawl.depth, ...(crawl.found_on && { found_on: crawl.found_on }) };
  return { line, ...snakeKeys({ url, customId, tags, crawl: place }) };
}
