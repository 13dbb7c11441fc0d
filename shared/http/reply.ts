import { Readable } from 'node:stream';
import type { Page, PageHead } from '../contract/scrape/page.ts';
import { verdictText } from '../contract/scrape/verdict.ts';

export type Reply = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | Readable;
};

export type JsonReply = Reply & { body: string };

const NOT_MODIFIED = 304;

export function json(
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): JsonReply {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body),
  };
}

/** The body's length under another name: API Gateway streams in chunks and renames Content-Length. */
export function withLength(reply: Reply): Reply {
  const { status, headers, body } = reply;
  const known = body instanceof Readable ? undefined : String(Buffer.byteLength(body));
  const length = headers['Content-Length'] ?? known;
  if (length === undefined || status === NOT_MODIFIED) return reply;
  return { ...reply, headers: { ...headers, 'X-Content-Length': length } };
}

/** `steps=5; ok=4; skipped=1; failed=0` */
const countsText = (counts: NonNullable<PageHead['scenario']>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name}=${count}`)
    .join('; ');

/**
 * A scraped page as a response. Of the target's headers only Content-Type passes; a missing one is
 * application/octet-stream, RFC 9110 section 8.3. The sandbox keeps the page inert on this origin.
 */
export function pageReply(
  {
    status,
    url,
    redirects,
    contentType,
    renderState,
    renderWaiting,
    contentTruncated,
    scenario,
    verdict,
    modeTried,
    cache,
    age,
    ...read
  }: PageHead,
  body: Reply['body'],
): Reply {
  return {
    status: 200,
    headers: {
      'Content-Type': contentType ?? 'application/octet-stream',
      'Content-Security-Policy': 'sandbox',
      'X-Target-Status': String(status),
      'X-Target-Url': url,
      'X-Target-Redirects': String(redirects),
      ...(renderState === undefined ? {} : { 'X-Render-State': renderState }),
      ...(renderWaiting && { 'X-Render-Waiting': renderWaiting }),
      ...(contentTruncated && { 'X-Content-Truncated': 'true' }),
      ...(scenario === undefined ? {} : { 'X-Scenario': countsText(scenario) }),
      ...(verdict && { 'X-Page-Verdict': verdictText(verdict) }),
      ...(modeTried !== undefined && { 'X-Mode-Tried': modeTried }),
      ...(cache && { 'X-Cache': cache }),
      ...(age !== undefined && { Age: String(age) }),
      ...readHeaders(read),
    },
    body,
  };
}

type Read = Pick<PageHead, 'content' | 'document' | 'modelTokens' | 'extractTruncated'>;

/** Which part of a page its text is taken from, what document it was, and what a model has read of it. */
const readHeaders = ({ content, document, modelTokens, extractTruncated }: Read) => ({
  ...(content && { 'X-Content-Scope': content.scope, 'X-Content-Coverage': String(content.coverage) }),
  ...(document && { 'X-Document-Type': document.kind, 'X-Document-Pages': String(document.pages) }),
  ...(modelTokens && { 'X-Model-Tokens': `in=${modelTokens.in}, out=${modelTokens.out}` }),
  ...(extractTruncated && { 'X-Extract-Truncated': 'true' }),
});

/** The length of the whole, and where the next part begins. */
export function sliceHeaders(slice: Page['slice']): Readonly<Record<string, string>> {
  if (slice === undefined) return {};
  const { totalChars, nextOffset } = slice;
  return {
    'X-Total-Chars': String(totalChars),
    ...(nextOffset !== undefined && { 'X-Next-Offset': String(nextOffset) }),
  };
}
