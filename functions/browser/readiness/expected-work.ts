import type { Fact } from '../page/fact.ts';

/** How long such work may go unannounced: a script's wait, a worker. */
export const GRACE_MS = { script: 30, newWorker: 1_200, worker: 500 } as const;
/** The page's own script may run for this long after it has started a worker. */
const STARTING_MS = 100;

export type ExpectedWork = {
  see: (fact: Fact, hasRequestEnded: boolean) => void;
  workers: () => number;
  /** How much longer a worker may be about to say something, `stillMs` after the last script. */
  workerMs: (stillMs: number) => number;
  scriptMs: (stillMs: number) => number;
};

/** Work timed by the wall clock that no event announces. */
export function expectedWork(now: () => number): ExpectedWork {
  const workers = new Set<string>();
  let workedAt = -Infinity;
  let startedAt = -Infinity;

  return {
    see(fact, hasRequestEnded) {
      if (hasRequestEnded || fact.what === 'attached') workedAt = now();
      if (fact.what === 'attached' && fact.isWorker) {
        workers.add(fact.id);
        startedAt = now();
      }
      if (fact.what === 'detached') workers.delete(fact.id);
      if (fact.what === 'committed') workers.clear();
    },
    workers: () => workers.size,
    // A worker to which the page has not yet reacted is about to say something.
    workerMs(stillMs) {
      if (workers.size === 0) return 0;
      const isAwaited = now() - stillMs <= startedAt + STARTING_MS;
      const grace = isAwaited ? GRACE_MS.newWorker : GRACE_MS.worker;
      return Math.max(0, grace - Math.min(stillMs, now() - workedAt));
    },
    scriptMs: (stillMs) => Math.max(0, GRACE_MS.script - stillMs),
  };
}
