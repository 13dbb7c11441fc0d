import { type ResponseHeaders, responseHeaders } from '../../../shared/contract/scrape/response-headers.ts';
import { isRedirect } from '../../../shared/domain/scrape/target/redirect.ts';
import { hasCredentials, isWeb } from '../../../shared/domain/scrape/target/target-url.ts';
import { documentType } from './document-type.ts';
import { isBodiless } from './empty-body.ts';
import type { Pause } from './network.ts';
import { hasPlaceholder } from './placeholders.ts';

/** Each pause gets exactly one of these. `take` keeps the body or returns it to Chromium. */
export type Answer = 'continue' | 'fail' | 'fulfil' | 'take';

type What = {
  request: 'media' | 'replaced' | 'own' | 'other';
  response:
    'download' | 'leaving' | 'other' | 'redirect' | 'forbidden' | 'staying' | 'empty' | 'page' | 'file';
};

export const ANSWERS: { readonly [Stage in keyof What]: Readonly<Record<What[Stage], Answer>> } = {
  request: {
    media: 'fail',
    replaced: 'fulfil',
    own: 'continue',
    other: 'continue',
  },
  response: {
    /** A link that only downloads: paused as a document, but without a network id. */
    download: 'fail',
    /** Chromium would take the caller's Referer to another origin, so the redirect becomes a navigation. */
    leaving: 'fail',
    other: 'continue',
    redirect: 'continue',
    forbidden: 'fail',
    /** A download or an empty response started by the page leaves it where it is. */
    staying: 'fail',
    /** An empty response to the scrape itself is an empty page. */
    empty: 'fail',
    page: 'continue',
    /** Its type is not HTML, or unknown. */
    file: 'take',
  },
};

export const isOutgoing = ({ responseStatusCode, responseErrorReason }: Pause) =>
  responseStatusCode === undefined && responseErrorReason === undefined;

const isAttachment = (pause: Pause) => /^\s*attachment/i.test(headerOf(pause, 'content-disposition') ?? '');

export function requestKind(pause: Pause, isOwn: boolean, isBlocking: boolean): What['request'] {
  if (isBlocking && pause.resourceType === 'Media') return 'media';
  if (isBlocking && hasPlaceholder(pause)) return 'replaced';
  return isOwn ? 'own' : 'other';
}

type Context = {
  mainFrame: string;
  isShown: boolean;
  leaves: (from: string, location: string) => boolean;
};

export function responseKind(pause: Pause, { mainFrame, isShown, leaves }: Context): What['response'] {
  const { frameId, networkId, responseStatusCode: status, request, resourceType } = pause;
  const location = headerOf(pause, 'location');
  const isMain = frameId === mainFrame && resourceType === 'Document';
  if (isMain && networkId === undefined) return 'download';
  if (!isMain || status === undefined) return 'other';
  if (isRedirect(status, location)) {
    if (!isAllowed(location, request.url)) return 'forbidden';
    return leaves(request.url, location) ? 'leaving' : 'redirect';
  }
  // Chromium does not navigate for a response without a body.
  if (isShown && (isAttachment(pause) || isBodiless(status))) return 'staying';
  if (isBodiless(status)) return 'empty';
  return documentType(headerOf(pause, 'content-type')) === 'rendered' ? 'page' : 'file';
}

/** Judged by scheme; the guard judges the address. */
function isAllowed(location: string, from: string): boolean {
  const url = URL.parse(location, from);
  return isWeb(url) && !hasCredentials(url);
}

/** Where a redirect leads, as text if that is no URL. */
export function locationOf(pause: Pause): string {
  const location = headerOf(pause, 'location') ?? '';
  return URL.parse(location, pause.request.url)?.href ?? location;
}

/** Several values are joined with commas. */
export function headerOf({ responseHeaders }: Pause, name: string): string | undefined {
  const values = (responseHeaders ?? []).filter((header) => header.name.toLowerCase() === name);
  return values.length > 0 ? values.map(({ value }) => value).join(', ') : undefined;
}

type Head = { status: number; url: string; headers: ResponseHeaders };

export function headOf({
  request,
  responseStatusCode: status = 200,
  responseHeaders: all = [],
}: Pause): Head {
  const headers = responseHeaders(all.map(({ name, value }) => [name, value] as const));
  return { status, url: request.url, headers };
}
