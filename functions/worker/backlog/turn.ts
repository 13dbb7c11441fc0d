import type { Effects } from '../../../shared/ports/effects.ts';

type Needs = Pick<Effects, 'queue' | 'now'>;

/** How long an invocation may go on with a backlog before another one does. */
export type Turn = { isOver: () => Promise<boolean> };

const LOOK_MS = 500;
/** If all invocations ended at once, no job would run until others have started. */
const SHARE_THAT_ENDS = 0.5;

/**
 * The turn of one invocation. It ends at `lastStart`, so that each job has its whole timeout, and before that
 * if messages wait for a worker: they may be of other organizations.
 */
export function openTurn({ queue, now }: Needs, lastStart: Date): Turn {
  let isOver = false;
  let lookedAt = now().getTime();
  return {
    isOver: async () => {
      const time = now().getTime();
      if (time >= lastStart.getTime()) isOver = true;
      if (isOver || time - lookedAt < LOOK_MS) return isOver;
      lookedAt = time;
      // If the queue cannot be asked, the turn goes on.
      const isWaitedFor = await queue.hasMessages().catch(() => false);
      if (isWaitedFor && Math.random() < SHARE_THAT_ENDS) isOver = true;
      return isOver;
    },
  };
}
