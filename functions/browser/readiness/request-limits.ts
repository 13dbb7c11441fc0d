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
} as const;
/** How long a page that looks whole waits for other sites, from when its document has loaded. */
const OTHERS_MS = 700;

type Kind = 'isReport' | 'isPassive' | 'isOwn' | 'isFramed' | 'isSending' | 'isTimed';
export type Sent = Pick<OpenRequest, Kind | 'host' | 'sentAt' | 'heardAt' | 'bytes'>;

export type RequestLimits = {
  /** Its host has responded with something. */
  hears: (request: Pick<OpenRequest, 'host'>) => void;
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
  look: () => Pick<Screen, 'hasGap' | 'isListening'> & { isLittle: boolean };
  /** Until scripts or responses have filled the page. */
  filling: { isAsSent: (sentAt?: number) => boolean };
};

/** How long a page that shows some content waits for each of its requests. */
export function requestLimits({ now, look, filling }: Needs): RequestLimits {
  const hosts = new Set<string>();
  let loadedAt = now();
  const isFirst = ({ isOwn, sentAt }: Sent) => (isOwn && look().hasGap) || filling.isAsSent(sentAt);
  const contentMs = (request: Sent) => CONTENT_MS[kindOf(request)][isFirst(request) ? 'first' : 'further'];
  // A page that looks whole, with little text, may get more from a site that has sent something.
  const isOfOthers = ({ isOwn, isSending, host }: Sent) =>
    !isOwn && !look().hasGap && (isSending || !hosts.has(host) || !(look().isLittle && filling.isAsSent()));
  // Another site's frame changes nothing without a message, and what timers send is a report.
  const isBeside = ({ isReport, isOwn, isFramed, isTimed, isSending }: Sent) =>
    isReport || (isFramed && !isOwn && !look().isListening) || (isTimed && isSending && !look().hasGap);
  return {
    hears: ({ host }) => void hosts.add(host),
    isBeside,
    mayBring: (request) => contentMs(request) > 0 && !isBeside(request),
    leftMs(request) {
      const { sentAt, heardAt = sentAt, bytes } = request;
      const rest = bytes > 0 ? FEEDING_MS - (now() - heardAt) : 0;
      const left = Math.max(contentMs(request) - (now() - sentAt), rest);
      return isOfOthers(request) ? Math.min(left, OTHERS_MS - (now() - loadedAt)) : left;
    },
    see({ what }) {
      if (what === 'committed' || what === 'parsed' || what === 'loaded') loadedAt = now();
    },
  };
}

function kindOf({ isOwn, isPassive }: Sent): keyof typeof CONTENT_MS {
  if (isPassive) return isOwn ? 'ownPassive' : 'foreignPassive';
  return isOwn ? 'own' : 'foreign';
}
