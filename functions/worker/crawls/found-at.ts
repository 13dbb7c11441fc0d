import { createHash } from 'node:crypto';
import type { Found } from '../../../shared/contract/crawls/wave.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import type { ScrapeRequest } from '../../../shared/contract/scrape/scrape-request.ts';
import { reasonOfError } from '../../../shared/domain/accounts/credits/credits-reason.ts';
import { counterOf, type Ended } from '../../../shared/domain/accounts/credits/usage-days.ts';
import { validatorsOf } from '../../../shared/domain/scrape/cache/freshness.ts';
import { type AppError, toAppError } from '../../../shared/errors.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { ScrapeContext } from '../../../shared/ports/scrape.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { SECOND_MS } from '../../../shared/time/units.ts';

/** What a page says to the crawl, without what its result says already. */
export type FoundAt = Omit<Found, 'line' | 'credits' | 'error_code'>;

/** Beyond the timeout of the request, for the links of its page. */
export const LINKS_MS = 10 * SECOND_MS;

const CANONICAL = { canonical: { selector: 'link[rel~="canonical" i]@href', output: 'url' } };
const HASH_DIGITS = 16;
/** Of one page. A merge holds the links of a whole wave. */
const MAX_LINKS = 10_000;
const FIRST_ERROR = 400;

type Came = {
  request: ScrapeRequest;
  page: Page;
  /** As it came, unless the page was kept. */
  raw: Page | undefined;
  ended: Ended;
};

/** What a page leads to. Throws only if the worker must stop. */
export async function foundAt(
  fx: Pick<Effects, 'convert' | 'now'>,
  { request, page, raw = page, ended }: Came,
  context: Pick<ScrapeContext, 'orgId' | 'signal'>,
): Promise<FoundAt> {
  const isPage = ended.charged > 0 || ended.reason === 'cached';
  const { etag, lastModified } = validatorsOf(raw.headers);
  const url = withoutFragment(page.url);
  return {
    outcome: isPage ? 'page' : 'failed',
    ...headOf(page, ended),
    ...(url !== withoutFragment(request.url) && { url }),
    ...(isPage && { hash: createHash('sha256').update(raw.body).digest('hex').slice(0, HASH_DIGITS) }),
    ...present({ content_usage: usageIn(raw), etag, last_modified: lastModified }),
    fetched_at: fx.now().toISOString(),
    ...(isPage && page.status < FIRST_ERROR && (await leadsOf(fx, raw, context))),
  };
}

/** Of a page that has not changed since an earlier crawl. */
export function foundUnchanged(page: Page, ended: Ended, now: Date): FoundAt {
  return { outcome: 'unchanged', ...headOf(page, ended), fetched_at: now.toISOString() };
}

/** Of a page whose next attempt is part of a later wave, so that this one need not wait for it. */
export function foundLater(attempts: number, due: Date, now: Date): FoundAt {
  const outcome = { outcome: 'retry' as const, counter: '' };
  return { ...outcome, attempts, due: due.toISOString(), fetched_at: now.toISOString() };
}

/** Of a URL that redirects to what robots.txt disallows. Undefined for any other error. */
export function foundDisallowed({ code, fields }: AppError, now: Date): FoundAt | undefined {
  const { reason, target_url: url } = fields;
  if (code !== 'url_not_allowed' || reason !== 'robots' || typeof url !== 'string') return undefined;
  const counter = counterOf('plain', reasonOfError(code));
  return { outcome: 'robots', counter, url: withoutFragment(url), fetched_at: now.toISOString() };
}

const headOf = ({ status, verdict }: Page, { kind, reason }: Ended) => ({
  counter: counterOf(kind, reason),
  target_status: status,
  ...(verdict && { verdict: verdict.kind }),
});

/** Links and canonical URL of an HTML page. */
async function leadsOf(
  { convert }: Pick<Effects, 'convert'>,
  { body, contentType, url, renderState }: Page,
  { orgId, signal: stop }: Pick<ScrapeContext, 'orgId' | 'signal'>,
): Promise<Pick<FoundAt, 'links' | 'canonical'>> {
  using limit = deadline(LINKS_MS, stop);
  const isRendered = renderState !== undefined;
  const wanted = { outputs: ['links', 'extract'], scope: 'full', rules: CANONICAL, isRendered } as const;
  try {
    const own = { orgId, signal: limit.signal };
    const { links = [], extract } = await convert({ body, contentType, url, ...wanted }, own);
    const followed = links.map((link) => withoutFragment(link.url)).filter((link) => /^https?:/.test(link));
    const canonical = extract?.['canonical'];
    return {
      links: [...new Set(followed)].slice(0, MAX_LINKS),
      ...(typeof canonical === 'string' && { canonical: withoutFragment(canonical) }),
    };
  } catch (fault) {
    if (stop.aborted || toAppError(fault).code !== 'not_convertible') throw fault;
    return {};
  }
}

/** https://www.ietf.org/archive/id/draft-ietf-aipref-attach-04.html and its forerunner. */
function usageIn({ headers = {} }: Page): string | undefined {
  const sent = headers['content-usage'] ?? headers['content-signal'];
  return sent === undefined ? undefined : [sent].flat().join(', ');
}

const withoutFragment = (url: string) => url.split('#')[0] ?? url;

function present<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}
