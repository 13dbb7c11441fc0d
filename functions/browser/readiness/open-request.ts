import { createHash } from 'node:crypto';
import { MAX_URL_LENGTH } from '../../../shared/contract/scrape/page.ts';
import type { Received, Requested, Responded } from '../page/fact.ts';

type Kind = 'isReport' | 'isPicture' | 'isRead' | 'isPassive' | 'isFramed' | 'isOfServiceWorker';

export type OpenRequest = Pick<Requested, Kind> & {
  /** What it asks for: method, URL and body. */
  key: string;
  /** The same without what differs from one poll to the next. */
  poll: string;
  /** Its URL without its query, which may carry the time or a cursor. */
  place: string;
  site: string;
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
  sentAt: number;
  /** When the last byte came. */
  heardAt?: number;
  isInParts: boolean;
  length: number;
  bytes: number;
  parts: number;
};

export function openRequest(fact: Requested, documentSite: string, sentAt: number): OpenRequest {
  const { url, isReport, isPicture, isRead, isPassive, isFramed, isOfServiceWorker, isForContent } = fact;
  const site = siteOf(url);
  const isOwn = site === documentSite;
  const body = { isInParts: false, length: 0, bytes: 0, parts: 0 };
  const place = { key: identityOf(fact), poll: pollOf(fact), place: placeOf(url), site, isOwn };
  // A script of another site is one part of many.
  const isContent = isForContent && (isOwn || isFramed || !isPassive);
  const kind = { isContent, isReport, isPassive, isFramed, isPicture, isRead, isOfServiceWorker };
  return { ...place, ...kind, isKnown: false, isNext: false, isPeriodic: false, sentAt, ...body };
}

/** A whole body in one part comes with its head. */
export const APART_MS = 20;

export function withFact(request: OpenRequest, fact: Responded | Received, at: number): OpenRequest {
  if (fact.what === 'responded')
    return { ...request, heardAt: at, isInParts: fact.isInParts, length: fact.length ?? 0 };
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

/** A page may use URLs of megabytes. */
export const keyOf = (url: string) =>
  url.length <= MAX_URL_LENGTH ? url : createHash('sha256').update(url).digest('base64');

const identityOf = ({ method, url, sends }: Requested) => `${method} ${keyOf(url)} ${sends}`;

/** They carry the time, a count or chance, so that no cache answers a poll. */
const VARIES =
  /[?&](?:(?:_|t|ts|time(?:stamp)?|n|i|r|rnd|rand(?:om)?|nonce|cb|cache\w*|attempt|try|retry|count|seq|since|cursor|last\w*)=[^&#]*|(?:[^=&#]+=)?(?:\d{9,}|0?\.\d+)(?=[&#]|$))/gi;
export const pollOf = ({ method, url, sends }: Requested): string =>
  `${method} ${keyOf(url.replace(VARIES, ''))} ${sends}`;

export const placeOf = (url: string) => keyOf(url.replace(/[?#].*/s, ''));

/** Near enough to the registrable domain, which an address does not have. */
export function siteOf(url: string): string {
  const labels = (URL.parse(url)?.hostname ?? '').split('.');
  const [second = '', last = ''] = labels.slice(-2);
  if (/^\d*$/.test(last)) return labels.join('.');
  return labels.slice(last.length === 2 && second.length <= 3 ? -3 : -2).join('.');
}
