import type { Screen, Shows } from '../page/document-reader.ts';
import type { Fact } from '../page/fact.ts';
import type { OpenRequest } from './open-request.ts';
import { SHOWN_MS, type Streams } from './streams.ts';

/** A page with less text may lack its content, though it does not say so. */
const LITTLE = 300;
/** Places whose responses may change nothing: a heartbeat goes to ever new ones. */
const MAX_BARREN = 3;

type Limits = Readonly<Record<Shows, number>>;

/** How long a request may go without a response, and a response without the next byte. */
export const UNANSWERED_MS: Limits = { showing: SHOWN_MS, unknown: Infinity, waiting: Infinity };
/** How long a page that shows little waits for a request for content: for its first, or further ones. */
export const CONTENT_MS = { first: 4_500, further: 1_500 } as const;
export const STALLED_MS: Limits = { showing: SHOWN_MS, unknown: 2_200, waiting: Infinity };

/** The same of a body that may not be read, and be whole. */
export const UNREAD_MS: Limits = { showing: SHOWN_MS, unknown: 400, waiting: 2_200 };

type Sent = Pick<OpenRequest, 'isPassive' | 'isOwn' | 'sentAt'>;
type Answered = Pick<OpenRequest, 'place' | 'isContent' | 'isPassive' | 'isFramed' | 'bytes'>;

/** What the last look at the page showed. It decides how long other work is waited for. */
export type Patience = {
  shows: () => Shows;
  /** `workedAt`: when scripts last worked, to which growth is due. */
  sees: (screen: Omit<Screen, 'isInTransition'>, workedAt: number) => void;
  /** The page shows its content, and has not grown for as long as that is waited for. */
  isOver: () => boolean;
  /** A request has got a response, from which the page may take its content. */
  answers: (request: Answered) => void;
  /** A place has responded since the page, which shows its content, last grew. */
  isBarren: (place: string) => boolean;
  /** False if a page that shows its content gets responses from new places that do not change it. */
  isNews: () => boolean;
  see: (fact: Fact) => void;
  /** It shows content, but may lack what this request asks for. */
  awaits: (request: Sent) => boolean;
  /** A part is empty, or neither a response nor, before the request, a script has changed the page. */
  isFirst: (request: Sent) => boolean;
  /** It shows no content, or little, as sent. */
  mayLack: () => boolean;
  /** Responses had brought its content before. */
  isFilled: (request: Sent) => boolean;
};

type Needs = {
  now: () => number;
  streams: Pick<Streams, 'see' | 'sees' | 'feedMs'>;
  /** A server will have what the page polls for, which is waited for whatever it shows. */
  isOwed?: (isInProgress: boolean) => boolean;
};

const UNSEEN = { shows: 'unknown', size: 0, isInProgress: false, hasGap: false } as const;

export function openPatience({ now, streams, isOwed = () => false }: Needs): Patience {
  let last: Pick<Screen, 'shows' | 'size' | 'isInProgress' | 'hasGap'> = UNSEEN;
  const [growth, filling] = [watchGrowth(now), watchFilling(now)];
  const shows = () => (isOwed(last.isInProgress) ? 'waiting' : last.shows);
  const isShowing = () => shows() === 'showing';
  const isLittle = () => last.size <= LITTLE;
  const hasGap = ({ isOwn }: Sent) => isOwn && last.hasGap;
  // A script of the site's own may render again what its server has sent.
  const isBundle = ({ isOwn, isPassive, sentAt }: Sent) => isOwn && isPassive && filling.isAsSent(sentAt);
  return {
    shows,
    awaits: (request) => isShowing() && (isLittle() || hasGap(request) || isBundle(request)),
    mayLack: () => !isShowing() || (isLittle() && filling.isAsSent()),
    isFirst: (request) => hasGap(request) || filling.isAsSent(request.sentAt),
    isFilled: (request) => !hasGap(request) && filling.isFilled(request),
    sees(screen, workedAt) {
      const more = screen.size - last.size;
      if (more > 0 || last.shows !== 'showing') growth.grows(Math.min(workedAt, now()));
      last = { ...screen, size: Math.max(screen.size, last.size) };
      filling.sees(screen);
      streams.sees({ growth: more, hasGap: last.hasGap, isLittle: isLittle(), isFilled: filling.hasBegun() });
    },
    isOver: () => isShowing() && growth.isOver() && streams.feedMs() <= 0,
    answers(request) {
      // Frames are not inspected.
      if (isShowing() && !request.isFramed) growth.answers(request.place);
      filling.answers(request);
    },
    isBarren: growth.isBarren,
    isNews: () => !isShowing() || growth.goesOn(),
    see(fact) {
      // What comes last may still be shown.
      if (streams.see(fact)) growth.mayFollow();
      if (fact.what !== 'committed') return;
      last = UNSEEN;
      filling.reset();
      growth.reset();
    },
  };
}

/** Since when the page has not grown, and which places have responded since. */
function watchGrowth(now: () => number) {
  let grownAt = Infinity;
  const barren = new Set<string>();
  const mayFollow = () => void (grownAt = now());
  return {
    isOver: () => now() - grownAt >= SHOWN_MS,
    grows(at: number) {
      grownAt = at;
      barren.clear();
    },
    mayFollow,
    answers: (place: string) => void barren.add(place),
    isBarren: (place: string) => barren.has(place),
    /** False if too many places have responded without a change. */
    goesOn(): boolean {
      const hasNews = barren.size <= MAX_BARREN;
      if (hasNews) mayFollow();
      return hasNews;
    },
    reset: () => barren.clear(),
  };
}

/** Whether responses have brought what the page shows, or scripts have put it in place of something else. */
function watchFilling(now: () => number) {
  let [answeredAt, filledAt, hasReplaced] = [Infinity, Infinity, false];
  let unreplacedAt = -Infinity;
  const hasBegun = () => filledAt <= now();
  const isAsSent = (sentAt = Infinity) => !hasBegun() && !(hasReplaced && sentAt > unreplacedAt);
  return {
    hasBegun,
    isAsSent,
    isFilled: ({ isPassive, isOwn, sentAt }: Sent) =>
      isPassive || !isOwn ? !isAsSent(sentAt) : filledAt <= sentAt,
    answers({ isContent, isPassive, bytes }: Answered) {
      if (isContent && !isPassive && bytes > 0) answeredAt = Math.min(answeredAt, now());
    },
    sees(screen: Pick<Screen, 'hasChanged' | 'hasReplaced' | 'isRotating'>) {
      hasReplaced ||= screen.hasReplaced;
      // Tips that take turns are no content.
      if (!screen.hasReplaced || screen.isRotating) unreplacedAt = now();
      if (screen.hasChanged) filledAt = Math.min(filledAt, answeredAt);
    },
    reset() {
      [answeredAt, filledAt, hasReplaced] = [Infinity, Infinity, false];
      unreplacedAt = -Infinity;
    },
  };
}
