import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';

/** Tasks that may run before the clock moves on, so that endless tasks do not stop it. */
const MAX_TASKS_PER_TICK = 1_000;
export const TOLERANCE_MS = 0.5;

/** `scripts`: the time that they took, without what follows an `await`. That lets `heap` grow, as all do. */
export type Reading = { at: number; scripts: number; heap: number };

export type Policy = 'advance' | 'pauseIfNetworkFetchesPending';

export async function readingOf(page: CDPSession): Promise<Reading> {
  const { metrics } = await page.send('Performance.getMetrics');
  const valueOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
  const [scripts, heap] = [valueOf('ScriptDuration'), valueOf('JSHeapUsedSize')];
  return { at: valueOf('Timestamp') * 1_000, scripts, heap };
}

/** Runs the page's clock to a time within a wall-clock limit; returns the time it reached. */
export async function runTime(
  page: CDPSession,
  policy: Policy,
  from: number,
  to: number,
  timeoutMs: number,
): Promise<Reading> {
  const over = AbortSignal.timeout(timeoutMs);
  let expired = Promise.withResolvers<undefined>();
  const expire = () => expired.resolve(undefined);
  page.on('Emulation.virtualTimeBudgetExpired', expire);
  over.addEventListener('abort', () => expired.resolve(undefined));
  try {
    for (let at = from; ;) {
      await page.send('Emulation.setVirtualTimePolicy', {
        policy,
        budget: to - at,
        maxVirtualTimeTaskStarvationCount: MAX_TASKS_PER_TICK,
      });
      await expired.promise;
      expired = Promise.withResolvers();
      const now = await readingOf(page);
      if (over.aborted || now.at >= to - TOLERANCE_MS) return now;
      // A replaced budget still expires at its own time and stops the clock.
      at = now.at;
    }
  } finally {
    page.off('Emulation.virtualTimeBudgetExpired', expire);
  }
}

/** Runs what is due, and the page's clock for `ms`, without a reading. */
export async function pulse(page: CDPSession, ms: number, timeoutMs: number): Promise<void> {
  const expired = Promise.withResolvers<undefined>();
  page.once('Emulation.virtualTimeBudgetExpired', () => expired.resolve(undefined));
  await page.send('Emulation.setVirtualTimePolicy', {
    policy: 'advance',
    budget: ms,
    maxVirtualTimeTaskStarvationCount: MAX_TASKS_PER_TICK,
  });
  await Promise.race([expired.promise, setTimeout(timeoutMs, undefined, { ref: false })]);
}
