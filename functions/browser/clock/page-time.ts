import { setTimeout } from 'node:timers/promises';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { PageClock } from './page-clock.ts';

/** Passes the page's time, as fast as its work allows. */
export type PageTime = {
  /** The page's clock in milliseconds. */
  now: () => Promise<number>;
  /** Passes so many milliseconds, and draws frames. */
  pass: (ms: number) => Promise<void>;
  /** The same by the wall clock. */
  sleep: (ms: number) => Promise<void>;
  /** Runs clock and frames at wall-clock pace until the work, which may be aborted, is done. */
  during: <T>(work: Promise<T>) => Promise<T>;
};

type Needs = {
  clock: PageClock;
  activity: { isFetching: () => boolean; isLive: () => boolean };
  signal: AbortSignal;
  isVirtual: boolean;
};

/** Between two frames at most, for what moves or watches what is in view. */
const STEP_MS = 100;

/** `isVirtual`: the page's clock may run ahead while nothing is in flight and nothing streams. */
export function openPageTime({ clock, activity, signal, isVirtual }: Needs): PageTime {
  const sleep = (ms: number) => clock.during(setTimeout(ms, undefined, { signal }));

  async function step(ms: number): Promise<void> {
    if (!isVirtual || activity.isLive()) return sleep(ms);
    const from = await untilAborted(clock.moment(), signal);
    await untilAborted(clock.skip(from, ms, activity.isFetching, signal), signal);
    return untilAborted(clock.frame(), signal);
  }
  return {
    now: async () => (await untilAborted(clock.moment(), signal)).at,
    sleep,
    during: clock.during,
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) await step(Math.min(left, STEP_MS));
    },
  };
}
