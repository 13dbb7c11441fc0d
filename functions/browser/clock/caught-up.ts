import { setTimeout } from 'node:timers/promises';

/** Less than a page sees. */
const TOLERANCE_MS = 0.2;

/** Two clocks at one moment, in milliseconds. */
export type Clocks = { at: number; wall: number };

/** Resolves when the wall clock has come as far since then as the page's clock, which stands still. */
export async function caughtUp(pageNow: () => Promise<{ at: number }>, since: Clocks): Promise<void> {
  for (;;) {
    const { at } = await pageNow();
    const aheadMs = at - since.at - (performance.now() - since.wall);
    if (aheadMs < TOLERANCE_MS) return;
    await setTimeout(aheadMs);
  }
}
