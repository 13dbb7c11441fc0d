import type { Fact } from '../page/network.ts';

/** How long such work may go unannounced: a script's wait, a worker, a stream's other end. */
const GRACE_MS = { script: 30, newWorker: 1_200, worker: 500, stream: 1_000, message: 600 };
/** The page's own script may run for this long after it has started a worker. */
const STARTING_MS = 100;
/** After this, a stream carries live updates, not page content. */
const DIALOGUE_MS = 3_000;

export type ExpectedWork = {
  see: (fact: Fact, hasRequestEnded: boolean) => void;
  /** Workers or streams are open, which the page's clock does not govern. */
  isLive: () => boolean;
  /** How much longer work may follow, `stillMs` after the last script. */
  ms: (stillMs: number) => number;
};

/** Work timed by the wall clock that no event announces. */
export function expectedWork(now: () => number): ExpectedWork {
  const workers = new Set<string>();
  let workedAt = -Infinity;
  let startedAt = -Infinity;
  let streamedAt = -Infinity;
  let messageAt = -Infinity;
  const streamMs = () =>
    messageAt < streamedAt
      ? GRACE_MS.stream - (now() - streamedAt)
      : Math.min(GRACE_MS.message - (now() - messageAt), DIALOGUE_MS - (now() - streamedAt));

  /** A worker to which the page has not yet reacted is about to say something. */
  const workerMs = (stillMs: number) => {
    if (workers.size === 0) return 0;
    const isAwaited = now() - stillMs <= startedAt + STARTING_MS;
    const grace = isAwaited ? GRACE_MS.newWorker : GRACE_MS.worker;
    return grace - Math.min(stillMs, now() - workedAt);
  };

  return {
    see(fact, hasRequestEnded) {
      if (hasRequestEnded || fact.what === 'attached') workedAt = now();
      if (fact.what === 'streamed') streamedAt = now();
      if (fact.what === 'messageReceived') messageAt = now();
      if (fact.what === 'attached' && fact.isWorker) {
        workers.add(fact.id);
        startedAt = now();
      }
      if (fact.what === 'detached') workers.delete(fact.id);
      if (fact.what === 'committed') {
        workers.clear();
        streamedAt = -Infinity;
        messageAt = -Infinity;
      }
    },
    isLive: () => workers.size > 0 || streamedAt !== -Infinity,
    ms: (stillMs) => Math.max(0, GRACE_MS.script - stillMs, workerMs(stillMs), streamMs()),
  };
}
