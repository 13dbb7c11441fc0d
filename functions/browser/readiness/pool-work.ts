import { FRAME_MS } from '../clock/page-frames.ts';
import type { Busy } from './busy-threads.ts';

/**
 * What threads of the pool do for a page: a chain of storage, for instance, whose answers come in real time.
 * Page time that is skipped meanwhile would let its own timeouts overtake it.
 */
export type PoolWork = {
  /** Turns of the clock in a row in which they worked. */
  turns: number;
  /** How much longer page time is not skipped for them. */
  heldMsLeft: number;
};

/** In one turn, they may have done something for Chromium itself. */
const CHAIN_TURNS = 2;
/** A chain takes a second at most; what works for longer may never rest. */
const MAX_HELD_MS = 2_000;
/** What is not a chain ends as soon. */
const GLANCE_MS = 2;

/** What works when page time begins was begun in real time, and counts at once. */
export const AT_FIRST: PoolWork = { turns: 1, heldMsLeft: MAX_HELD_MS };

/** After a turn that took `tickMs`. */
export function poolAfter({ turns, heldMsLeft }: PoolWork, threads: Busy, tickMs: number): PoolWork {
  if (threads !== 'pool') return { turns: 0, heldMsLeft };
  return { turns: turns + 1, heldMsLeft: heldMsLeft - tickMs };
}

/** Whether page time is held to the wall clock. */
export const isHeld = ({ turns, heldMsLeft }: PoolWork) => turns >= CHAIN_TURNS && heldMsLeft > 0;

/** How long the next turn waits, while threads are busy. */
export const busyTickMs = ({ turns }: PoolWork) => (turns === CHAIN_TURNS ? GLANCE_MS : FRAME_MS);
