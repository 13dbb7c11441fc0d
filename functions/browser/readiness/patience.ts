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
/** The first of a request for content by a page that shows little. */
export const CONTENT_MS = 1_500;
export const STALLED_MS: Limits = { showing: SHOWN_MS, unknown: 2_200, waiting: Infinity };

/** The same of a body that may not be read, and be whole. */
export const UNREAD_MS: Limits = { showing: SHOWN_MS, unknown: 400, waiting: 2_200 };

/** What the last look at the page showed. It decides how long other work is waited for. */
export type Patience = {
  shows: () => Shows;
  /** `workedAt`: when scripts last worked, to which growth is due. */
  sees: (screen: Pick<Screen, 'shows' | 'size' | 'hasChanged'>, workedAt: number) => void;
  /** The page shows its content, and has not grown for as long as that is waited for. */
  isOver: () => boolean;
  /** A request has got a response, from which the page may take its content. */
  answers: (request: Pick<OpenRequest, 'place' | 'isContent' | 'bytes'>) => void;
  /** A place has responded since the page, which shows its content, last grew. */
  isBarren: (place: string) => boolean;
  /** False if a page that shows its content gets responses from new places that do not change it. */
  isNews: () => boolean;
  see: (fact: Fact) => void;
  /** It shows content, but little. */
  showsLittle: () => boolean;
  /** Responses had brought its content before. */
  isFilled: (at: number) => boolean;
};

type Needs = {
  now: () => number;
  streams: Pick<Streams, 'see' | 'sees' | 'feedMs'>;
  /** A server has said that the page is to come again, which it waits for whatever it shows. */
  isOwed?: () => boolean;
};

const UNSEEN = { shows: 'unknown', size: 0 } as const;

export function openPatience({ now, streams, isOwed = () => false }: Needs): Patience {
  let last: Pick<Screen, 'shows' | 'size'> = UNSEEN;
  let shownAt = Infinity;
  const barren = new Set<string>();
  let [answeredAt, filledAt] = [Infinity, Infinity];
  const shows = () => (isOwed() ? 'waiting' : last.shows);
  return {
    shows,
    showsLittle: () => shows() === 'showing' && last.size <= LITTLE,
    isFilled: (at) => filledAt <= at,
    sees(screen, workedAt) {
      const growth = screen.size - last.size;
      if (growth > 0 || last.shows !== 'showing') {
        shownAt = Math.min(workedAt, now());
        barren.clear();
      }
      last = { ...screen, size: Math.max(screen.size, last.size) };
      if (screen.hasChanged) filledAt = Math.min(filledAt, answeredAt);
      streams.sees({ growth, isLittle: last.size <= LITTLE, isFilled: filledAt <= now() });
    },
    isOver: () => shows() === 'showing' && now() - shownAt >= SHOWN_MS && streams.feedMs() <= 0,
    answers({ place, isContent, bytes }) {
      if (shows() === 'showing') barren.add(place);
      if (isContent && bytes > 0) answeredAt = Math.min(answeredAt, now());
    },
    isBarren: (place) => barren.has(place),
    isNews() {
      const isNews = shows() !== 'showing' || barren.size <= MAX_BARREN;
      if (isNews && shows() === 'showing') shownAt = now();
      return isNews;
    },
    see(fact) {
      // What comes last may still be shown.
      if (streams.see(fact)) shownAt = now();
      if (fact.what !== 'committed') return;
      [last, answeredAt, filledAt] = [UNSEEN, Infinity, Infinity];
      barren.clear();
    },
  };
}
