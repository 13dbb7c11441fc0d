import { createHash } from 'node:crypto';
import { MAX_URL_LENGTH } from '../../../shared/contract/scrape/page.ts';
import { type Received, type Requested, type Responded, SENDING } from '../page/fact.ts';

type Kind = 'isReport' | 'isPicture' | 'isRead' | 'isPassive' | 'isFramed' | 'isOfServiceWorker';

export type OpenRequest = Pick<Requested, Kind> & {
  /** What it asks for: method, URL and body. */
  key: string;
  /** The same without what differs from one poll to the next. */
  poll: string;
  /** Its URL without its query, which may carry the time or a cursor, and without what counts. */
  place: string;
  site: string;
  host: string;
  /** Sent to the site of the document. */
  isOwn: boolean;
  /** It asks for content, by its kind. */
  isContent: boolean;
  /** The same request has had a response. */
  isKnown: boolean;
  /** Sent as soon as another had responded, without a timer between them. */
  isNext: boolean;
  /** Timers have repeated it. */
  isPeriodic: boolean;
  /** It sends something. */
  isSending: boolean;
  /** Sent once the document had loaded, and by no response. */
  isTimed: boolean;
  sentAt: number;
  /** When the last byte came. */
  heardAt?: number;
  isInParts: boolean;
  /** It comes in parts by its type, or shows nothing before its end. */
  isStream: boolean;
  isAtomic: boolean;
  /** A look at its body has shown that it has not ended. */
  isCut: boolean;
  /** Its response has nothing new. */
  isMute: boolean;
  /** A look has shown that it is whole: the page does not read it. */
  isUnread: boolean;
  length: number;
  bytes: number;
  parts: number;
};

export function openRequest(fact: Requested, documentSite: string, sentAt: number): OpenRequest {
  const { url, isReport, isPicture, isRead, isPassive, isFramed, isOfServiceWorker, isForContent } = fact;
  const site = siteOf(url);
  const isOwn = site === documentSite;
  const of = {
    isInParts: false,
    isStream: false,
    isAtomic: false,
    isCut: false,
    isMute: false,
    isUnread: false,
  };
  const body = { ...of, length: 0, bytes: 0, parts: 0 };
  const placed = isPassive ? placeOf(url) : shapeOf(placeOf(url));
  const place = { key: identityOf(fact), poll: pollOf(fact), place: placed, site, isOwn };
  // A script of another site is one part of many.
  const isContent = isForContent && (isOwn || isFramed || !isPassive);
  const kind = { isContent, isReport, isPassive, isFramed, isPicture, isRead, isOfServiceWorker };
  const cause = { isKnown: false, isNext: false, isPeriodic: false, isTimed: false };
  const isSending = SENDING.includes(fact.method);
  const host = URL.parse(url)?.host ?? '';
  return { ...place, host, ...kind, ...cause, isSending, sentAt, ...body };
}

/** A whole body in one part comes with its head. */
export const APART_MS = 20;

export function withFact(request: OpenRequest, fact: Responded | Received, at: number): OpenRequest {
  if (fact.what === 'responded') {
    const { isInParts, isAtomic, isEmpty: isMute, length = 0 } = fact;
    return { ...request, heardAt: at, isInParts, isStream: isInParts, isAtomic, isMute, length };
  }
  const isInParts = request.isInParts || at - (request.heardAt ?? at) > APART_MS;
  return {
    ...request,
    heardAt: at,
    isInParts,
    bytes: request.bytes + fact.bytes,
    parts: request.parts + 1,
  };
}

/** Chromium reports no end of a body that came in one part, if the page does not read it. */
export const isWhole = ({ length, bytes }: OpenRequest) => length > 0 && bytes >= length;
export const isPausing = ({ isRead, isInParts, length, bytes, parts }: OpenRequest) =>
  isRead || isInParts || parts !== 1 || bytes < length;

/** Its body has begun, and has not ended. A stream may never end. */
export const isBegun = (request: OpenRequest) =>
  request.bytes > 0 && !request.isStream && (request.isCut || isPausing(request));

/** After this, a body in one part may be cut off, or be whole and not read by the page. */
const DOUBT_MS = 100;
export const isInDoubt = (request: OpenRequest, at: number) =>
  request.isAtomic &&
  request.bytes > 0 &&
  !request.isUnread &&
  !isBegun(request) &&
  at - (request.heardAt ?? at) >= DOUBT_MS;

/** A page may use URLs of megabytes. */
export const keyOf = (url: string) =>
  url.length <= MAX_URL_LENGTH ? url : createHash('sha256').update(url).digest('base64');

/** A page may request the data of its own address, which its document has not brought. */
const identityOf = ({ method, url, sends, isNavigation }: Requested) =>
  `${isNavigation ? 'document' : method} ${keyOf(url)} ${sends}`;

/** They carry the time, a count or chance, so that no cache answers a poll. */
const VARIES =
  /[?&](?:(?:_|t|ts|time(?:stamp)?|n|i|r|rnd|rand(?:om)?|nonce|cb|cache\w*|attempt|try|retry|count|seq|since|cursor|last\w*)=[^&#]*|(?:[^=&#]+=)?(?:\d{9,}|0?\.\d+)(?=[&#]|$))/gi;
export const pollOf = ({ method, url, sends }: Requested): string =>
  `${method} ${keyOf(url.replace(VARIES, ''))} ${sends}`;

/** Segments, batches and sessions differ in numbers alone. */
const shapeOf = (place: string) => place.replace(/(?<=\w\/.*)((?=[a-f]*\d)[\da-f]{4,}|\d+)/gi, '0');

export const placeOf = (url: string) => keyOf(url.replace(/[?#].*/s, ''));

/** Near enough to the registrable domain, which an address does not have. */
export function siteOf(url: string): string {
  const labels = (URL.parse(url)?.hostname ?? '').split('.');
  const [second = '', last = ''] = labels.slice(-2);
  if (/^\d*$/.test(last)) return labels.join('.');
  return labels.slice(last.length === 2 && second.length <= 3 ? -3 : -2).join('.');
}
