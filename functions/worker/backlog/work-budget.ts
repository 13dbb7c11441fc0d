import type { Effects } from '../../../shared/ports/effects.ts';

type Needs = Pick<Effects, 'queue' | 'now'>;

/** How long a worker may work on a backlog before another one does. */
export type WorkBudget = { isOver: () => Promise<boolean> };

const LOOK_MS = 500;
/** If all turns ended at once, no job would run until others have started. */
const SHARE_THAT_ENDS = 0.5;

/**
 * Opens a turn for each message of one invocation. A turn ends at `lastStart`, so that each job has its whole
 * timeout, and before that if messages wait for a worker: they may be of other organizations.
 */
export function budgetsUntil({ queue, now }: Needs, lastStart: Date): () => WorkBudget {
  let lookedAt = now().getTime();
  let isWaitedFor = Promise.resolve(false);
  /** Turns share one look at the queue, at most every half second. */
  const look = (time: number) => {
    if (time - lookedAt < LOOK_MS) return isWaitedFor;
    lookedAt = time;
    // If the queue cannot be read, turns continue.
    isWaitedFor = queue.hasMessages().catch(() => false);
    return isWaitedFor;
  };
  return () => {
    let isOver = false;
    let decidedAt = now().getTime();
    return {
      isOver: async () => {
        const time = now().getTime();
        if (time >= lastStart.getTime()) isOver = true;
        if (isOver || time - decidedAt < LOOK_MS) return isOver;
        decidedAt = time;
        if ((await look(time)) && Math.random() < SHARE_THAT_ENDS) isOver = true;
        return isOver;
      },
    };
  };
}
