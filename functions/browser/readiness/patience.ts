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
export const STALLED_MS: Limits = { showing: SHOWN_MS, unknown: 2_200, waiting: Infinity };

/** The same of a body that may not be read, and be whole. */
export const UNREAD_MS: Limits = { showing: SHOWN_MS, unknown: 400, waiting: 2_200 };

type Sent = Pick<OpenRequest, 'isPassive' | 'isOwn' | 'sentAt'>;
type Repeated = Pick<OpenRequest, 'place' | 'isNext' | 'sentAt'>;
type Answered = Pick<OpenRequest, 'place' | 'isContent' | 'isPassive' | 'isFramed' | 'bytes'>;

/** What the last look at the page showed. It decides how long other work is waited for. */
export type Patience = {
  shows: () => Shows;
  /** `workedAt`: when scripts last worked, to which growth is due. */
  sees: (screen: Omit<Screen, 'isInTransition' | 'isWatchingPaints'>, workedAt: number) => void;
  /** The page shows its content, and has not grown for as long as that is waited for. */
  isOver: () => boolean;
  /** A request has got a response, from which the page may take its content. */
  answers: (request: Answered) => void;
  /** Its place had responded to another since the page, which shows its content, last grew. */
  isBarren: (request: Repeated) => boolean;
  /** False if a page that shows its content gets responses from new places that do not change it. */
  isNews: () => boolean;
  see: (fact: Fact) => void;
  /** How long a page that shows some content waits for this request, which asks for more. */
  contentMs: (request: Sent) => number;
  /** It shows no content, or little, as sent. */
  mayLack: () => boolean;
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
  const isFirst = ({ isOwn, sentAt }: Sent) => (isOwn && last.hasGap) || filling.isAsSent(sentAt);
  return {
    shows,
    contentMs: (request) => CONTENT_MS[kindOf(request)][isFirst(request) ? 'first' : 'further'],
    mayLack: () => !isShowing() || (isLittle() && filling.isAsSent()),
    sees(screen, workedAt) {
      const more = screen.size - last.size;
      if (more > 0 || last.shows !== 'showing') growth.grows(Math.min(workedAt, now()));
      last = { ...screen, size: Math.max(screen.size, last.size) };
      filling.sees(screen);
      const { hasGap } = last;
      streams.sees({ growth: more, hasGap, isLittle: isLittle(), ...filling.state() });
    },
    isOver: () => isShowing() && growth.isOver() && streams.feedMs() <= 0,
    answers(request) {
      // Frames are not inspected.
      if (isShowing() && !request.isFramed) growth.answers(request.place);
      filling.answers(request);
    },
    // A list may come page by page, and a job step by step, before any of it is shown.
    isBarren: (request) => growth.isBarren(request) && !(request.isNext && filling.isAsSent(request.sentAt)),
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

function kindOf({ isOwn, isPassive }: Sent): keyof typeof CONTENT_MS {
  if (isPassive) return isOwn ? 'ownPassive' : 'foreignPassive';
  return isOwn ? 'own' : 'foreign';
}

/** Since when the page has not grown, and which places have responded since. */
function watchGrowth(now: () => number) {
  let grownAt = Infinity;
  const barren = new Map<string, number>();
  const mayFollow = () => void (grownAt = now());
  return {
    isOver: () => now() - grownAt >= SHOWN_MS,
    grows(at: number) {
      grownAt = at;
      barren.clear();
    },
    mayFollow,
    answers: (place: string) => void barren.set(place, barren.get(place) ?? now()),
    isBarren: ({ place, sentAt }: Repeated) => (barren.get(place) ?? Infinity) < sentAt,
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
    isAsSent,
    state: () => ({ isFilled: hasBegun(), isAsSent: isAsSent() }),
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
