import type { CachedPage, StoredBody } from '../../contract/scrape/cached-page.ts';
import { comparedIn } from '../../contract/scrape/change.ts';
import type { Conversion, Converted } from '../../contract/scrape/output.ts';
import { type Page, PageHead } from '../../contract/scrape/page.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import type { CacheKey } from '../../domain/scrape/cache/cache-key.ts';
import { forgottenAt } from '../../domain/scrape/cache/freshness.ts';
import { changeKey } from '../../domain/scrape/change/change-key.ts';
import { presence } from '../../domain/scrape/change/presence.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import { ownPrefix } from './page-cache.ts';
import { openedPage, storePage } from './store-page.ts';

export type CompareNeeds = Pick<Effects, 'convert' | 'pageCache' | 'results' | 'now' | 'newId'>;
type Store = Omit<CompareNeeds, 'convert'>;

const CONTEXT_LINES = 3;

/** Throws if results are compared, and none are kept. */
export function assertComparable({ pageCache }: Pick<Store, 'pageCache'>, request: ScrapeRequest): void {
  if (comparedIn(request) === undefined || pageCache.days > 0) return;
  const message = 'This service keeps no results, so there is no format change.';
  throw new AppError('invalid_request', { message, fields: { param: 'format' } });
}

/** The parts of a page, perhaps with what has changed since the last result. Throws `not_convertible`. */
export async function comparedParts(
  fx: CompareNeeds,
  request: ScrapeRequest,
  page: Page,
  conversion: Conversion,
  context: Omit<ScrapeContext, 'requestLog'>,
): Promise<Converted> {
  const of = comparedIn(request);
  if (of === undefined) return fx.convert(conversion, context);
  const outputs = conversion.outputs.filter((output) => output !== 'change');
  const others = async (): Promise<Converted> =>
    outputs.length > 0 ? fx.convert({ ...conversion, outputs }, context) : {};
  const state = context.isFallback ? 'unknown' : presence(page);
  if (state === 'unknown') return { ...(await others()), change: {} };
  const key = changeKey(request, context.orgId);
  const workId = context.workId ?? context.requestId;
  const { kept, last, content } = await lastResult(fx, key, workId);
  const at = last && { previous_at: last.fetchedAt.toISOString() };
  if (state === 'gone') return { ...(await others()), change: last ? { status: 'removed', ...at } : {} };
  const comparison = { of, previous: content, context: request.change?.context ?? CONTEXT_LINES };
  const { compared = '', change, ...parts } = await fx.convert({ ...conversion, comparison }, context);
  await keepResult(fx, key, { workId, kept, before: last, head: PageHead.parse(page), compared });
  const { status, ...differences } = change ?? {};
  return { ...parts, change: { status, ...at, ...differences } };
}

type Result = StoredBody & Pick<CachedPage, 'fetchedAt'>;
type Last = { kept?: CachedPage | undefined; last?: Result; content?: string };

/** The bytes may be replaced before they are read. */
const READS = 2;

/** The last result of other work: if this work is repeated, the one before its own. */
async function lastResult(
  { pageCache, results, now }: Pick<Store, 'pageCache' | 'results' | 'now'>,
  key: CacheKey,
  workId: string,
): Promise<Last> {
  let kept: CachedPage | undefined;
  for (let read = 0; read < READS; read += 1) {
    kept = await pageCache.find(key, now());
    const last = kept?.workId === workId ? kept.before : kept;
    if (last === undefined) return { kept };
    const body = await openedPage(results, last);
    if (body) return { kept, last: resultOf(last), content: Buffer.from(body).toString() };
  }
  return { kept };
}

const resultOf = ({ resultKey, sha256, bytes, gzip, fetchedAt }: Result): Result => ({
  ...{ resultKey, sha256, bytes, gzip, fetchedAt },
});

type Kept = Pick<CachedPage, 'head'> & {
  workId: string;
  kept: CachedPage | undefined;
  before: Result | undefined;
  compared: string;
};

/** Keeps what was compared, the bytes first, and deletes what nobody will compare with. */
async function keepResult(
  { pageCache, results, newId, now }: Store,
  key: CacheKey,
  { workId, kept, before, head, compared }: Kept,
): Promise<void> {
  const body = await storePage(results, `${ownPrefix(key.orgId)}${newId()}`, Buffer.from(compared));
  const fetchedAt = now();
  const expiresAt = forgottenAt(pageCache.days, fetchedAt);
  await pageCache.keep(key, { ...body, head, fetchedAt, expiresAt, workId, before });
  const replaced = kept?.workId === workId ? kept : kept?.before;
  // What is left expires.
  if (replaced) await results.remove(replaced.resultKey).catch(() => undefined);
}
