import type { RunningJob } from '../../../shared/contract/jobs/job.ts';
import { isFinished } from '../../../shared/domain/jobs/state.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Jobs } from '../../../shared/ports/jobs.ts';

const INTERVAL_MS = 1_000;

/** Aborts with `cancelled` once a job was cancelled, deleted or taken over. Dispose it when done. */
export function whileOwned(jobs: Pick<Jobs, 'find'>, job: RunningJob): { signal: AbortSignal } & Disposable {
  const lost = new AbortController();
  const look = async () => {
    const stored = await jobs.find(job.id);
    const isOwned = stored && !isFinished(stored) && stored.fencingToken === job.fencingToken;
    if (!isOwned) lost.abort(new AppError('cancelled'));
  };
  // A failed look is repeated by the next one.
  const timer = setInterval(() => void look().catch(() => undefined), INTERVAL_MS);
  return { signal: lost.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
