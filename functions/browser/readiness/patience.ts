import type { Screen, Shows } from '../page/document-reader.ts';
import type { Fact } from '../page/fact.ts';
import type { OpenRequest } from './open-request.ts';
import { type RequestLimits, requestLimits, type Sent } from './request-limits.ts';
import { SHOWN_MS, type Streams } from './streams.ts';

/** A page with less text may lack its content, though it does not say so. */
const LITTLE = 300;
/** Bytes of an empty list or object. */
const NOTHING = 2;
/** Responses that may change nothing: a heartbeat goes to ever new addresses. */
const MAX_BARREN = 3;

type Limits = Readonly<Record<Shows, number>>;

/** How long a request may go without a response, and a response without the next byte. */
export const UNANSWERED_MS: Limits = { showing: SHOWN_MS, unknown: Infinity, waiting: Infinity };
export const STALLED_MS: Limits = { showing: SHOWN_MS, unknown: 2_200, waiting: Infinity };

/** The same of a body that may not be read, and be whole. */
export const UNREAD_MS: Limits = { showing: SHOWN_MS, unknown: 400, waiting: 2_200 };

/** For the response to a script or a frame of another site, where it is not known what the page shows. */
export const FOREIGN_PASSIVE_MS = 2_500;

type Repeated = Pick<OpenRequest, 'place' | 'isNext' | 'sentAt'>;
type Answered = Pick<OpenRequest, 'place' | 'isContent' | 'isPassive' | 'isFramed' | 'isMute' | 'bytes'>;

/** What the last look at the page showed. It decides how long other work is waited for. */
export type Patience = Omit<RequestLimits, 'see'> & {
  shows: () => Shows;
  /** `workedAt`: when scripts last worked, to which growth is due. */
  sees: (
    screen: Omit<Screen, 'isInTransition' | 'isWatchingPaints' | 'isMeasuring'>,
    workedAt: number,
  ) => void;
  /** The page shows its content, and has not grown for as long as that is waited for. */
  isOver: () => boolean;
  /** A request has got a response, from which the page may take its content. */
  answers: (request: Answered) => void;
  /** Its place had responded to another since the page, which shows its content, last grew. */
  isBarren: (request: Repeated) => boolean;
  /** False if a page that shows its content gets responses that do not change it, or are not waited for. */
  isNews: (request: Sent) => boolean;
  see: (fact: Fact) => void;
  /** It shows no content, or little, as sent. */
  mayLack: () => boolean;
  /** It shows progress: if nothing is open, a timer may bring its end. */
  isProgressing: () => boolean;
};

type Needs = {
  now: () => number;
  streams: Pick<Streams, 'see' | 'sees' | 'feedMs'>;
  /** A server will have what the page polls for, which is waited for whatever it shows. */
  isOwed?: (isInProgress: boolean) => boolean;
};

const UNSEEN = {
  shows: 'unknown',
  size: 0,
  isInProgress: false,
  isProgressing: false,
  hasGap: false,
  isListening: true,
} as const;

export function openPatience({ now, streams, isOwed = () => false }: Needs): Patience {
  let last: Pick<Screen, keyof typeof UNSEEN> = UNSEEN;
  const [growth, filling] = [watchGrowth(now), watchFilling(now)];
  const shows = () => (isOwed(last.isInProgress) ? 'waiting' : last.shows);
  const isShowing = () => shows() === 'showing';
  const isLittle = () => last.size <= LITTLE;
  const limits = requestLimits({ now, look: () => ({ ...last, isLittle: isLittle() }), filling });
  return {
    shows,
    ...limits,
    mayLack: () => !isShowing() || (isLittle() && filling.isAsSent()),
    isProgressing: () => last.isProgressing,
    sees(screen, workedAt) {
      const [more, { hasGap }] = [screen.size - last.size, screen];
      if (more > 0 || last.shows !== 'showing') growth.grows(Math.min(workedAt, now()));
      last = { ...screen, size: Math.max(screen.size, last.size) };
      filling.sees(screen);
      streams.sees({ growth: more, hasGap, isLittle: isLittle(), ...filling.state() });
    },
    isOver: () => isShowing() && growth.isOver() && streams.feedMs() <= 0,
    answers(request) {
      // Frames are not inspected.
      if (isShowing() && !request.isFramed) growth.answers(request);
      filling.answers(request);
    },
    // A list may come page by page, and a job step by step, before any of it is shown.
    isBarren: (request) =>
      growth.isBarren(request) && !(growth.goesOnWith(request) && filling.isAsSent(request.sentAt)),
    isNews: (request) =>
      !isShowing() || (!limits.isBeside(request) && limits.leftMs(request) > 0 && growth.goesOn(request)),
    see(fact) {
      // What comes last may still be shown.
      if (streams.see(fact)) growth.mayFollow();
      limits.see(fact);
      if (fact.what !== 'committed') return;
      last = UNSEEN;
      for (const each of [filling, growth]) each.reset();
    },
  };
}

/** Since when the page has not grown, and which places have responded since. */
function watchGrowth(now: () => number) {
  let grownAt = Infinity;
  const barren = new Map<string, number>();
  const said = new Map<string, boolean>();
  let news = 0;
  const mayFollow = () => void (grownAt = now());
  return {
    isOver: () => now() - grownAt >= SHOWN_MS,
    grows(at: number) {
      [grownAt, news] = [at, 0];
      barren.clear();
    },
    mayFollow,
    answers({ place, isMute, bytes }: Pick<OpenRequest, 'place' | 'isMute' | 'bytes'>) {
      barren.set(place, barren.get(place) ?? now());
      if (isMute || bytes > 0) said.set(place, !isMute && bytes > NOTHING);
    },
    /** A response has led to it, and its place has not responded with nothing. */
    goesOnWith: ({ place, isNext }: Pick<OpenRequest, 'place' | 'isNext'>) =>
      isNext && said.get(place) !== false,
    isBarren: ({ place, sentAt }: Repeated) => (barren.get(place) ?? Infinity) < sentAt,
    /** False after too many responses without a change. */
    goesOn({ isFramed }: Pick<OpenRequest, 'isFramed'>): boolean {
      if (!isFramed) news += 1;
      if (news <= MAX_BARREN) mayFollow();
      return news <= MAX_BARREN;
    },
    reset() {
      news = 0;
      barren.clear();
    },
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
