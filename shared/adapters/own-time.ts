import { firstAborted } from '../time/first-aborted.ts';

/** Milliseconds of a page's own time, and bytes by which the process may grow meanwhile. */
type Limits = { ms: number; maxGrowth: number };

/** More than the heap of the thread: what a document inflates is not on it. */
export const MAX_GROWTH_BYTES = 600_000_000;

const TICK_MS = 50;
/** Between two looks. What is longer was the machine's: the page's answer may wait to be read. */
const MAX_TICK_MS = 4 * TICK_MS;

/**
 * Aborts after so much of a page's own time: beside another one it has half of the processor. Where other
 * work keeps the machine busy, time passes in which the page is not read, so what was computed counts.
 */
export function ownTime({ ms, maxGrowth }: Limits, share: () => number, other: AbortSignal) {
  const over = new AbortController();
  const before = process.memoryUsage.rss();
  const isTooLarge = () => process.memoryUsage.rss() - before > maxGrowth;
  let wasTooLarge = false;
  let [spent, at, computed] = [0, performance.now(), processorMs()];
  const timer = setInterval(() => {
    spent += Math.min(performance.now() - at, processorMs() - computed, MAX_TICK_MS) * share();
    [at, computed] = [performance.now(), processorMs()];
    wasTooLarge ||= isTooLarge();
    if (spent >= ms || wasTooLarge) over.abort();
  }, TICK_MS);
  return {
    signal: firstAborted(over.signal, other),
    isTooLarge: () => wasTooLarge,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      over.abort();
    },
  };
}

/** Of this process with all of its threads. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
