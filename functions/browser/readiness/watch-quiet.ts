import { type Busy, busyThreads } from './busy-threads.ts';
import type { Settling } from './settling.ts';

/** After the last script, so that a slow machine has time too. */
const QUIET_TICKS = 2;
/** The same after a worker was busy: it may wait for a timer of its own before it goes on. */
const QUIET_WORKER_TICKS = 5;

export type Quiet = {
  /** Page time was skipped, so the ticks count anew. */
  restart: () => void;
  /** Looks at the threads after a tick, in which the page may have worked. */
  look: (hasWorked: boolean) => Promise<void>;
  areThreadsQuiet: () => boolean;
  /** Nothing has worked for enough ticks. */
  isLong: () => boolean;
};

/** How long the page and its other threads have been quiet. */
export function watchQuiet({ pid, workers }: Pick<Settling, 'pid' | 'workers'>): Quiet {
  const threadsNow = busyThreads(pid);
  let busy: Busy = 'none';
  let ticksLeft = QUIET_TICKS;
  const prolong = () => void (ticksLeft = Math.max(ticksLeft, QUIET_TICKS));
  return {
    restart() {
      busy = 'none';
      prolong();
    },
    async look(hasWorked) {
      const threads = threadsNow();
      busy = threads !== 'workers' && (await workers.areBusy()) ? 'workers' : threads;
      if (busy === 'workers') ticksLeft = QUIET_WORKER_TICKS;
      else if (hasWorked || busy === 'pool') prolong();
      else ticksLeft -= 1;
    },
    areThreadsQuiet: () => busy === 'none' && ticksLeft <= QUIET_TICKS,
    isLong: () => ticksLeft <= 0,
  };
}
