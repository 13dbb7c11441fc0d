import { setTimeout } from 'node:timers/promises';

/** Less than a page sees. */
const TOLERANCE_MS = 0.2;

/** Two clocks at one moment, in milliseconds. */
export type Clocks = { at: number; wall: number };

/** Until the wall clock has come as far since then as the page's clock, which stands still, or an abort. */
export async function caughtUp(
  pageNow: () => Promise<{ at: number }>,
  since: Clocks,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { at } = await pageNow();
    const aheadMs = at - since.at - (performance.now() - since.wall);
    if (aheadMs < TOLERANCE_MS) return;
    await setTimeout(aheadMs, undefined, { signal }).catch(() => undefined);
  }
}
