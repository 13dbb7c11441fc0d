import type { Effects } from '../../../shared/ports/effects.ts';

type Needs = Pick<Effects, 'batches' | 'now'>;

const INTERVAL_MS = 1_000;

/** Says whether a batch was cancelled or deleted. Looks at most once a second. */
export function untilCancelled({ batches, now }: Needs, id: string): () => Promise<boolean> {
  let isCancelled = false;
  let lookedAt = now().getTime();
  return async () => {
    const time = now().getTime();
    if (isCancelled || time - lookedAt < INTERVAL_MS) return isCancelled;
    lookedAt = time;
    const batch = await batches.find(id);
    isCancelled = batch === undefined || batch.cancelledAt !== undefined;
    return isCancelled;
  };
}
