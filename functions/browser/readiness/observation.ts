import type { Screen } from '../page/document-reader.ts';
import type { Busy } from './busy-threads.ts';

/** What is known of a page after a turn of its clock. */
export type Observation = {
  // Its network.
  isLoaded: boolean;
  /** The document is parsed or shows its content, and nobody sends what is missing. */
  isAbandoned: boolean;
  /** Another document has come, or is on its way. */
  hasLeft: boolean;
  /** URLs that have responded for the first time. */
  respondedUrls: number;
  isFetching: boolean;
  isHeadMissing: boolean;
  isPolling: boolean;
  /** A poll has an answer that is not read yet. */
  isAnswered: boolean;
  silentMs: number;
  /** How much longer work of the wall clock may follow. */
  expectedMs: number;
  /** The same of workers and streams alone. */
  liveMs: number;
  // Its scripts.
  at: number;
  wall: number;
  work: number;
  threads: Busy;
  /** Nothing in its document can change it. Known once it has loaded. */
  isStatic: boolean;
  // Its frames and its screen.
  /** Delay of frames against the page's requests for them. */
  lateMs: number;
  /** Undefined until the screen has been inspected. */
  screen:
    (Pick<Screen, 'shows' | 'isInTransition'> & { isIdling: boolean; mayFollowPaint: boolean }) | undefined;
  /** The page has shown its content for as long as that is waited for. */
  isShown: boolean;
};

/** Of a page that has just come. */
export const UNKNOWN: Omit<Observation, 'isLoaded'> = {
  isAbandoned: false,
  hasLeft: false,
  respondedUrls: 0,
  isFetching: false,
  isHeadMissing: false,
  isPolling: false,
  isAnswered: false,
  silentMs: 0,
  expectedMs: 0,
  liveMs: 0,
  at: 0,
  wall: 0,
  work: 0,
  threads: 'none',
  isStatic: false,
  lateMs: 0,
  screen: undefined,
  isShown: false,
};
