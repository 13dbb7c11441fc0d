import type { Screen } from '../page/document-reader.ts';
import type { Fact } from '../page/fact.ts';
import type { OpenRequest } from './open-request.ts';
import { FEEDING_MS } from './streams.ts';

/**
 * How long a page that shows some content waits for a request for more, to its own site or to another: while
 * it is as its server has sent it, and once scripts or responses have filled it. A script or a frame shows
 * nothing by itself.
 */
const CONTENT_MS = {
  own: { first: 4_500, further: 2_000 },
  ownPassive: { first: 4_500, further: 0 },
  foreign: { first: 2_500, further: 1_000 },
  foreignPassive: { first: 800, further: 0 },
  foreignModule: { first: 2_500, further: 0 },
} as const;
/** How long a page that looks whole waits for other sites, from when its document has loaded. */
const OTHERS_MS = 700;
/** A page of this size at most shows a few words. */
const BARE = 60;

type Kind = 'isReport' | 'isPassive' | 'isModule' | 'isOwn' | 'isFramed' | 'isSending' | 'isTimed';
export type Sent = Pick<OpenRequest, Kind | 'by' | 'host' | 'sentAt' | 'heardAt' | 'bytes'>;

export type RequestLimits = {
  /** Its host has responded with something. */
  hears: (request: Pick<OpenRequest, 'host' | 'by'>) => void;
  /** A page that shows its content gets no more of it by this request. */
  isBeside: (request: Sent) => boolean;
  /** It may, or may have given it up. */
  mayBring: (request: Sent) => boolean;
  /** How much longer such a page waits for it. */
  leftMs: (request: Sent) => number;
  see: (fact: Fact) => void;
};

type Needs = {
  now: () => number;
  look: () => Pick<Screen, 'hasGap' | 'lacksComments' | 'isListening' | 'size'> & { isLittle: boolean };
  /** Until scripts or responses have filled the page. */
  filling: { isAsSent: (sentAt?: number) => boolean };
};

/** How long a page that shows some content waits for each of its requests. */
export function requestLimits({ now, look, filling }: Needs): RequestLimits {
  const hosts = new Set<string>();
  let loadedAt = now();
  const isBare = () => look().size <= BARE && filling.isAsSent();
  const { contentMs, isOfOthers, isBeside } = placing({ look, filling }, hosts);
  return {
    hears({ host, by }) {
      if (by !== 'advertising') hosts.add(host);
    },
    isBeside,
    mayBring: (request) => contentMs(request) > 0 && !isBeside(request),
    leftMs(request) {
      const { sentAt, heardAt = sentAt, bytes } = request;
      const rest = bytes > 0 ? FEEDING_MS - (now() - heardAt) : 0;
      const left = Math.max(contentMs(request) - (now() - sentAt), rest);
      const sinceLoadMs = now() - loadedAt;
      // A bare page may be a module of another site.
      if (isBare() && (request.isModule || !isOfOthers(request))) return left;
      if (isOfOthers(request)) return Math.min(left, OTHERS_MS - sinceLoadMs);
      // One request to another site may follow on another.
      return request.isOwn ? left : Math.min(left, Math.max(rest, CONTENT_MS.foreign.first - sinceLoadMs));
    },
    see({ what }) {
      if (what === 'committed' || what === 'parsed' || what === 'loaded') loadedAt = now();
    },
  };
}

/** Whose business a request is, and how long it is waited for by that. */
function placing({ look, filling }: Omit<Needs, 'now'>, hosts: ReadonlySet<string>) {
  const areComments = ({ by }: Sent) => by === 'comments' || (look().lacksComments && !look().hasGap);
  const isFirst = (request: Sent) =>
    (request.isOwn && look().hasGap) || (filling.isAsSent(request.sentAt) && !areComments(request));
  // A page that looks whole, with little text, may get more from a site that has sent something.
  const mayComplete = ({ by, isFramed, isSending, host }: Sent) =>
    by === 'variant' || (!isFramed && !isSending && hosts.has(host) && look().isLittle && filling.isAsSent());
  return {
    contentMs: (request: Sent) => CONTENT_MS[kindOf(request)][isFirst(request) ? 'first' : 'further'],
    isOfOthers: (request: Sent) => {
      if (look().hasGap) return false;
      const { isOwn, isFramed, isPassive, by } = request;
      // A frame's own requests change nothing without a message.
      if (isOwn) return by === 'news' || (isFramed && !isPassive && !look().isListening);
      return !mayComplete(request);
    },
    // Another site's frame changes nothing without a message, and what timers send is a report.
    isBeside: ({ by, isReport, isOwn, isFramed, isTimed, isSending }: Sent) =>
      isReport ||
      (!isOwn && by === 'advertising') ||
      (isFramed && !isOwn && !look().isListening) ||
      (isTimed && isSending && !look().hasGap),
  };
}

function kindOf({ by, isOwn, isPassive, isModule }: Sent): keyof typeof CONTENT_MS {
  if (isModule && !isOwn) return 'foreignModule';
  if (isPassive && by !== 'variant') return isOwn ? 'ownPassive' : 'foreignPassive';
  return isOwn ? 'own' : 'foreign';
}
