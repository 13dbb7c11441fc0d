import { z } from 'zod';
import { CacheState } from './cache.ts';
import type { Captured } from './capture.ts';
import { DocumentFacts } from './document.ts';
import { ModelTokens } from './extraction.ts';
import { ScenarioCounts, type ScenarioReport } from './js-scenario.ts';
import { Kind, ModeTried } from './mode.ts';
import { ContentShare } from './scope.ts';
import { PageVerdict } from './verdict.ts';
import type { Pictures } from './picture.ts';
import type { ResponseHeaders } from './response-headers.ts';
import type { Slice } from './slice.ts';

/** Decoded bytes that one page may have: 50 MB. Larger ones are `response_too_large`. */
export const MAX_PAGE_BYTES = 50_000_000;

/** Characters that a URL may have, wherever it comes from. */
export const MAX_URL_LENGTH = 8_192;

/** Visible ASCII, spaces and tabs, in a length that every writer and reader of headers accepts. */
const HEADER_VALUE = /^[\t\x20-\x7e]{1,1000}$/;

/** `partial` if a wait timed out after the document had loaded. */
export const RenderState = z.enum(['complete', 'partial']);
export type RenderState = z.infer<typeof RenderState>;

/** What a page that is `partial` was still waiting for. */
export const RenderWaiting = z.enum(['socket', 'stream', 'poll', 'worker', 'request', 'load', 'timer']);
export type RenderWaiting = z.infer<typeof RenderWaiting>;

/** A fetched page without its bytes. */
export const PageHead = z.object({
  /** The status of the target's last response. */
  status: z.int(),
  /** The final URL, after redirects, in percent-encoded ASCII. */
  url: z
    .string()
    .max(MAX_URL_LENGTH)
    .regex(/^[\x21-\x7e]+$/),
  redirects: z.int(),
  /** The target's own Content-Type, absent if it sent none. */
  contentType: z.string().regex(HEADER_VALUE).optional(),
  renderState: RenderState.optional(),
  /** Of a page that is `partial`, if it is known. */
  renderWaiting: RenderWaiting.optional(),
  /** The body ended before its encoding or its length did, or has another checksum. */
  contentTruncated: z.literal(true).optional(),
  /** Of a request with a scenario. */
  scenario: ScenarioCounts.optional(),
  /** What the response is. Absent on jobs of an earlier version. */
  verdict: PageVerdict.optional(),
  /** Of markdown and text. */
  content: ContentShare.optional(),
  /** Of a page that was read as a document. */
  document: DocumentFacts.optional(),
  /** Of a page whose values a model has read, perhaps only of its first part. */
  modelTokens: ModelTokens.optional(),
  extractTruncated: z.literal(true).optional(),
  /** With `mode`: the rung that this is the page of, and all that were tried. */
  rung: Kind.optional(),
  modeTried: ModeTried.optional(),
  /** With `max_age` or `revalidate`, and the seconds since the page was known to be current. */
  cache: CacheState.optional(),
  age: z.int().optional(),
});
export type PageHead = z.infer<typeof PageHead>;

/** The report, what was captured, headers and pictures are not stored with jobs as such. */
export type Page = PageHead & {
  body: Uint8Array;
  report?: ScenarioReport | undefined;
  captured?: Captured[] | undefined;
  headers?: ResponseHeaders | undefined;
  pictures?: Pictures | undefined;
  /** Of a body that is a part of its text. */
  slice?: Pick<Slice, 'totalChars' | 'nextOffset'> | undefined;
};

/**
 * The target's Content-Type, without what a header cannot hold: parameters such as a name in another script,
 * or the whole media type.
 */
export function sentContentType(value: string | null | undefined): Pick<PageHead, 'contentType'> {
  const contentType = [value, value?.split(';')[0]].find((form) => form && HEADER_VALUE.test(form));
  return contentType ? { contentType } : {};
}
