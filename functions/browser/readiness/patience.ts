import type { Screen, Shows } from '../page/document-reader.ts';
import type { Fact } from '../page/fact.ts';
import { LITTLE, watchFeeds } from './feeds.ts';

/** Wall-clock time that a page which shows its content gets from when it last grew. */
export const SHOWN_MS = 600;
/** Responses from new URLs that may change nothing: a heartbeat goes to ever new ones. */
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
  sees: (screen: Pick<Screen, 'shows' | 'size'>, workedAt: number) => void;
  /** The page shows its content, and has not grown for as long as that is waited for. */
  isOver: () => boolean;
  /** False if a page that shows its content gets responses from new URLs that do not change it. */
  isNews: () => boolean;
  see: (fact: Fact) => void;
  /** The page grows by the data of this stream. */
  isFeeding: (id: string) => boolean;
  /** How much longer the next part of what comes by a stream is waited for. */
  feedMs: () => number;
  isWriting: () => boolean;
  /** It shows content, but little. */
  showsLittle: () => boolean;
};

/** `isOwed`: a server has said that the page is to come again, which it waits for whatever it shows. */
export function openPatience(now: () => number, isOwed = () => false): Patience {
  let last: Pick<Screen, 'shows' | 'size'> = { shows: 'unknown', size: 0 };
  let shownAt = Infinity;
  let barren = 0;
  const { see: note, sees: fed, isFeeding, ms: feedMs, isWriting } = watchFeeds(now);
  const shows = () => (isOwed() ? 'waiting' : last.shows);
  return {
    shows,
    isFeeding,
    feedMs,
    isWriting,
    showsLittle: () => shows() === 'showing' && last.size <= LITTLE,
    sees(screen, workedAt) {
      const hasGrown = screen.size > last.size || last.shows !== 'showing';
      if (hasGrown) barren = 0;
      if (hasGrown) shownAt = Math.min(workedAt, now());
      fed(screen.size - last.size, screen.size);
      last = { ...screen, size: Math.max(screen.size, last.size) };
    },
    isOver: () => shows() === 'showing' && now() - shownAt >= SHOWN_MS && feedMs() <= 0,
    isNews() {
      if (shows() !== 'showing') return true;
      barren += 1;
      if (barren <= MAX_BARREN) shownAt = now();
      return barren <= MAX_BARREN;
    },
    see(fact) {
      // What comes last may still be shown.
      if (note(fact)) shownAt = now();
      if (fact.what !== 'committed') return;
      last = { shows: 'unknown', size: 0 };
      barren = 0;
    },
  };
}
