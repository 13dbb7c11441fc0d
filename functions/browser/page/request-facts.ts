import { createHash } from 'node:crypto';
import type { Protocol } from 'puppeteer-core';
import { responseHeaders } from '../../../shared/contract/scrape/response-headers.ts';
import { type Requested, type Responded, SENDING } from './fact.ts';

/** Requests that stay open, or that the page does not wait for. */
const BACKGROUND: readonly (string | undefined)[] = [
  'EventSource',
  'WebSocket',
  'Ping',
  'Manifest',
  'Prefetch',
];
const IN_PARTS =
  /^(multipart\/|application\/(wasm|grpc|connect\+|x-ndjson|ndjson|jsonl|x-jsonlines|json-seq|stream\+json)|text\/(event-stream|x-component))/i;
const ATOMIC = /^(application|text)\/([\w.-]+\+)?(json|javascript)$/i;
/** Accepted, Too Early, Too Many Requests, Bad Gateway, Service Unavailable, Gateway Timeout. */
const NOT_YET: readonly number[] = [202, 425, 429, 502, 503, 504];
/** No Content, Reset Content, Not Modified. */
const EMPTY: readonly number[] = [204, 205, 304];

export function requested(event: Protocol.Network.RequestWillBeSentEvent, mainFrame: string): Requested {
  const { requestId: id, loaderId, frameId, type, request } = event;
  const { url, initialPriority } = request;
  // Other request types may be prefetches too.
  // A style sheet for another medium, such as print, may become one for this when it has loaded.
  const isLast = initialPriority === 'VeryLow' && type !== 'Stylesheet';
  const isLess = initialPriority === 'Low' && (type === 'Fetch' || type === 'XHR');
  // A prefetch by speculation rules has its own loader but navigates no frame.
  const isNavigation = frameId === mainFrame && id === loaderId && type === 'Document';
  const isFramed = frameId !== undefined && frameId !== mainFrame;
  return {
    what: 'requested',
    id,
    at: event.timestamp * 1_000,
    url,
    isBackground: BACKGROUND.includes(type) || isLast || isLess,
    isPicture: type === 'Image',
    isRead: type === 'XHR',
    method: request.method,
    sends: digestOf(request),
    isForParts: asksForParts(request),
    isPassive: (PASSIVE.includes(type) && !isJsonp(request, type)) || (type === 'Document' && isFramed),
    isFramed,
    isForContent: !isNavigation && FETCHED.includes(type) && asksForContent(request, type),
    isReport: !isNavigation && FETCHED.includes(type) && !asksForContent(request, type),
    isNavigation,
    isRedirect: event.redirectResponse !== undefined,
    isOfWorker: false,
    isOfServiceWorker: false,
  };
}

const ASKS_TO_STREAM = /"stream"\s*:\s*true/;
/** Chromium reports no head before the first part. */
function asksForParts(request: Protocol.Network.Request): boolean {
  const types = [headerOf(request, 'accept'), headerOf(request, 'content-type')];
  return types.some((type) => IN_PARTS.test(type)) || ASKS_TO_STREAM.test(bodyOf(request));
}

/** A script, a recording or a frame may bring content, but does not show it. */
const PASSIVE: readonly (string | undefined)[] = ['Script', 'Media'];
/** JSONP: a script that brings data to a function of the page, whose name it gets. */
const CALLS_BACK = /[?&](json_?)?(callback|jsonp)=[^&#]*[a-z_$]/i;
const isJsonp = ({ url }: Protocol.Network.Request, type: string | undefined): boolean =>
  type === 'Script' && CALLS_BACK.test(url);
const FETCHED: readonly (string | undefined)[] = ['XHR', 'Fetch', 'Document', ...PASSIVE];
const STRUCTURED = /json|form|graphql|grpc|proto|connect/i;
/** Such endpoints take reports of what happens, or give them. */
const REPORTS =
  /^[^?#]*\/(analytics|telemetry|metrics?|collect|track(ing|er)?|beacons?|pixel|logs?|rum|vitals|impressions?|heart-?beats?|ping|long-?poll(ing)?|poll(ing)?|presence|notifications?)(?![\w-]|\.m?js\b)/i;
const POSTED_REPORTS =
  /^[^?#]*\/(events?|batch|ingest|intake|capture|envelope|(session-?)?replays?|record(ing)?s?)(?![\w-])/i;
/** Playlists and segments, which a player fetches: HLS and DASH. */
const PLAYS = /^[^?#]*\.(m3u8|mpd|ts|m4[asv]|mp[34]|aac|webm|vtt)(?=[?#]|$)/i;

/** Reports are posted as well, mostly in plain text. */
function asksForContent(request: Protocol.Network.Request, type?: string): boolean {
  if (REPORTS.test(request.url) || (type !== 'Script' && PLAYS.test(request.url))) return false;
  if (!SENDING.includes(request.method)) return request.method === 'GET';
  if (POSTED_REPORTS.test(request.url)) return false;
  return STRUCTURED.test(headerOf(request, 'content-type')) || /^\s*([{[]|$)/.test(bodyOf(request));
}

const headerOf = ({ headers }: Protocol.Network.Request, wanted: string): string =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';

const bodyOf = ({ postDataEntries = [] }: Protocol.Network.Request): string =>
  postDataEntries.map(({ bytes = '' }) => Buffer.from(bytes, 'base64').toString('latin1')).join('');

const digestOf = ({ postDataEntries = [] }: Protocol.Network.Request): string =>
  postDataEntries.length === 0
    ? ''
    : createHash('sha256')
        .update(postDataEntries.map(({ bytes = '' }) => bytes).join())
        .digest('base64');

/** `no-cors`: https://fetch.spec.whatwg.org/#concept-filtered-response-opaque */
export const isOpaque = ({
  headers,
}: Pick<Protocol.Network.RequestWillBeSentExtraInfoEvent, 'headers'>): boolean => {
  const has = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const [dest, mode, site] = ['dest', 'mode', 'site'].map((name) => has.get(`sec-fetch-${name}`));
  return dest === 'empty' && mode === 'no-cors' && site !== 'same-origin';
};

export function responded({
  requestId: id,
  timestamp,
  type,
  response,
}: Protocol.Network.ResponseReceivedEvent): Responded {
  const { url, encodedDataLength: wireBytes, status, mimeType, headers } = response;
  const has = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const length = has.has('content-encoding') ? undefined : has.get('content-length');
  const isNotYet = NOT_YET.includes(status) || has.has('retry-after');
  const place = has.get('location') ?? (has.has('retry-after') ? url : undefined);
  const later = isNotYet && place !== undefined ? URL.parse(place, url)?.href : undefined;
  return {
    what: 'responded',
    id,
    at: timestamp * 1_000,
    wireBytes,
    isNotYet,
    isError: status >= 400,
    isEmpty: EMPTY.includes(status),
    ...(later !== undefined && { later }),
    isInParts: IN_PARTS.test(mimeType),
    isOfEvents: mimeType === 'text/event-stream',
    isAtomic: !IN_PARTS.test(mimeType) && ATOMIC.test(mimeType),
    ...(length !== undefined && { length: Number(length) }),
    ...(type === 'Document' &&
      response.fromServiceWorker === true && {
        served: { url, status, headers: responseHeaders(Object.entries(headers)) },
      }),
  };
}
