import type { CDPSession } from 'puppeteer-core';
import type { Clocks } from './caught-up.ts';
import type { Reading } from './virtual-time.ts';

/** What a page's clock keeps between its turns. */
export type Clock = {
  page: CDPSession;
  mayDraw: () => boolean;
  isPoolBusy: () => boolean;
  isVirtual: boolean;
  isDrawn: boolean;
  drawing?: Promise<unknown> | undefined;
  last: Reading;
  work: number;
  /** The page's time of the last frame. */
  framedAt: number;
  /** Works that are waited for at wall-clock pace, and the loop that ticks for them. */
  works: number;
  /** By the wall clock, when the page's clock was last advanced with it. */
  tickedAt: number;
  ticking?: Promise<void> | undefined;
  held?: { at: number; wall: number } | undefined;
  /** When the two clocks were compared first, and for how many the page's one stands still. */
  compared: Clocks;
  stops: number;
};

export const AT_FIRST: Omit<Clock, 'page' | 'mayDraw' | 'isPoolBusy'> = {
  isVirtual: false,
  isDrawn: false,
  last: { at: 0, scripts: 0, heap: 0 },
  work: 0,
  framedAt: 0,
  works: 0,
  tickedAt: 0,
  compared: { at: 0, wall: 0 },
  stops: 0,
};
