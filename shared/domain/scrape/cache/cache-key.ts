import { createHash } from 'node:crypto';
import type { KeyRestrictions } from '../../../contract/accounts/account.ts';
import { outputsOf } from '../../../contract/scrape/output.ts';
import { RENDER_DEFAULTS, type ScrapeRequest } from '../../../contract/scrape/scrape-request.ts';
import { shapingFields } from '../../../contract/scrape/shaping-fields.ts';
import { normalizedEscapes } from '../target/normalized-escapes.ts';

/** Under which a page is kept: its organization, its URL, and all else that decides how it looks. */
export type CacheKey = { orgId: string; urlHash: string; fieldsHash: string };

type Caller = { orgId: string; restrictions?: KeyRestrictions | undefined };

/** Requests with the same key are for the same page. Keys with other restrictions share none. */
export function cacheKey(request: ScrapeRequest, { orgId, restrictions }: Caller): CacheKey {
  const fields = shapingFields(withDefaults(request));
  const shape = [fields, fragmentOf(request), canonical(restrictions)];
  return { orgId, urlHash: urlHash(orgId, request.url), fieldsHash: sha256([orgId, shape]) };
}

/** Of a URL in any spelling. Its fragment is not in it, so that all pages of the URL are found together. */
export function urlHash(orgId: string, url: string): string {
  return sha256([orgId, urlKey(url)]);
}

/** A URL without port, query and fragment where they say nothing, in the normal form of RFC 3986 §6.2.2. */
export function urlKey(text: string): string {
  const { protocol, host, pathname, search } = new URL(text);
  return normalizedEscapes(`${protocol}//${host}${pathname}${search}`);
}

/** Only scripts see it. */
function fragmentOf({ url, renderJs, mode }: ScrapeRequest): string {
  return renderJs || mode !== undefined ? normalizedEscapes(new URL(url).hash) : '';
}

/** Fields that are set to their defaults are the same as absent ones. */
function withDefaults({ format = 'html', ...request }: ScrapeRequest): Partial<ScrapeRequest> {
  const outputs = outputsOf({ ...request, format });
  const hasText =
    request.extractSchema !== undefined ||
    outputs.some((output) => ['clean_html', 'markdown', 'text'].includes(output));
  const hasScope = hasText && request.includeSelectors === undefined;
  const present = Object.entries(request).filter(([, value]) => value !== undefined);
  return {
    format,
    ...(hasScope && { scope: 'auto' }),
    ...(request.renderJs && RENDER_DEFAULTS),
    ...Object.fromEntries(present),
  };
}

function canonical({ routes, formats, creditsPerDay }: KeyRestrictions = {}) {
  return [routes?.toSorted(), formats?.toSorted(), creditsPerDay];
}

const sha256 = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
