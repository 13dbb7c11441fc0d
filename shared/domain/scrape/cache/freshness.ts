import type { CachedPage } from '../../../contract/scrape/cached-page.ts';
import { type Kind, kindOf, wasWon } from '../../../contract/scrape/mode.ts';
import type { Page, PageHead } from '../../../contract/scrape/page.ts';
import type { ResponseHeaders } from '../../../contract/scrape/response-headers.ts';
import type { ScrapeRequest } from '../../../contract/scrape/scrape-request.ts';
import { addMs, DAY_MS, SECOND_MS } from '../../../time/units.ts';

type Validators = Pick<CachedPage, 'etag' | 'lastModified'>;

/** Whether a kept page is young enough to be returned at once. */
export function isFresh({ fetchedAt }: CachedPage, { maxAge = 0 }: ScrapeRequest, now: Date): boolean {
  return maxAge > 0 && addMs(fetchedAt, maxAge * SECOND_MS) >= now;
}

/** Whether the target can tell if a page that is too old has changed. */
export function mayRevalidate({ etag, lastModified }: CachedPage, request: ScrapeRequest): boolean {
  return request.revalidate !== false && (etag !== undefined || lastModified !== undefined);
}

/** In seconds. A clock that lags behind has none. */
export function ageOf({ fetchedAt }: CachedPage, now: Date): number {
  return Math.max(0, Math.floor((now.getTime() - fetchedAt.getTime()) / SECOND_MS));
}

/** How the document of a page is requested without scripts, which costs what such a page does. */
export function conditionalKind(request: ScrapeRequest, { head }: CachedPage): Kind {
  const kind = head.rung ?? kindOf(request);
  return kind === 'premium' || kind === 'both' ? 'premium' : 'plain';
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-13.1 */
export function conditionsOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag !== undefined && { 'If-None-Match': etag }),
    ...(lastModified !== undefined && { 'If-Modified-Since': lastModified }),
  };
}

const NOT_MODIFIED = 304;

/** Whether the document is unchanged since it was kept, and at the same place. */
export function isUnchanged(answer: Pick<Page, 'status' | 'url'>, { head }: CachedPage): boolean {
  return answer.status === NOT_MODIFIED && withoutFragment(answer.url) === withoutFragment(head.url);
}

const withoutFragment = (url: string) => url.split('#')[0];

/** Visible ASCII, which can be sent back. */
const VALIDATOR = /^[\x20-\x7e]{1,1000}$/;

/** The validators of a response, and of an earlier one where it does not repeat them. */
export function validatorsOf(headers: ResponseHeaders = {}, before: Validators = {}): Validators {
  const one = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' && VALIDATOR.test(value) ? value : undefined;
  };
  return {
    etag: one('etag') ?? before.etag,
    lastModified: one('last-modified') ?? before.lastModified,
  };
}

/** Whether a page may be returned again: it is whole, was charged, and is no error of the target. */
export function mayKeep(page: PageHead): boolean {
  const { status, verdict, contentTruncated, cache } = page;
  const isWhole = verdict?.kind === 'page' && contentTruncated === undefined && status < 400;
  // A page for which another rung was tried is not what was requested.
  return cache === 'miss' && isWhole && wasWon(page);
}

/** When a page is forgotten that was fetched now. */
export const forgottenAt = (days: number, now: Date): Date => addMs(now, days * DAY_MS);
