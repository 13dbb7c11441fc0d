import type { Busy } from './busy-threads.ts';

/** What is known of a page after a turn of its clock. */
export type Observation = {
  // Its network.
  isLoaded: boolean;
  /** Another document has come, or is on its way. */
  hasLeft: boolean;
  /** URLs that have responded for the first time. */
  respondedUrls: number;
  /** How much longer work of the wall clock may follow. */
  expectedMs: number;
  // Its scripts.
  at: number;
  work: number;
  threads: Busy;
  /** Nothing in its document can change it. Known once it has loaded. */
  isStatic: boolean;
  // Its frames and its screen.
  /** Delay of frames against the page's requests for them. */
  lateMs: number;
  /** Undefined until the screen has been inspected. */
  screen: { isInTransition: boolean; isIdling: boolean } | undefined;
};

/** Of a page that has just come. */
export const UNKNOWN: Omit<Observation, 'isLoaded'> = {
  hasLeft: false,
  respondedUrls: 0,
  expectedMs: 0,
  at: 0,
  work: 0,
  threads: 'none',
  isStatic: false,
  lateMs: 0,
  screen: undefined,
};
