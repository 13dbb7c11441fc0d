import type { Effects } from '../../../shared/ports/effects.ts';

type Needs = Pick<Effects, 'batches' | 'now'>;

const INTERVAL_MS = 1_000;

/** Says whether a batch was cancelled or deleted. Reads it at most once a second. Never throws. */
export function untilCancelled({ batches, now }: Needs, id: string): () => Promise<boolean> {
  let latest = Promise.resolve(false);
  let readAt = now().getTime();
  // After a fault, the next read decides.
  const read = () =>
    batches.find(id).then(
      (batch) => batch === undefined || batch.cancelledAt !== undefined,
      () => false,
    );
  return () => {
    const time = now().getTime();
    if (time - readAt < INTERVAL_MS) return latest;
    readAt = time;
    latest = latest.then((isCancelled) => isCancelled || read());
    return latest;
  };
}
