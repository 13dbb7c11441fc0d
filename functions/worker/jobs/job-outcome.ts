import type { Job } from '../../../shared/contract/jobs/job.ts';

/**
 * The outcome of a job. `done`: nothing is left to do. `again`: a message must bring it back. `throttled`:
 * the same, because no browser is free. `taken`: another process owns it. `waits`: it is in its backlog.
 * With `awaitedIn`, jobs of that organization wait for the slot that is free now.
 */
export type JobOutcome = { awaitedIn?: string } & (
  | { outcome: 'done' | 'waits' }
  | { outcome: 'again' | 'taken'; afterSeconds: number }
  | { outcome: 'throttled'; afterSeconds: number; job: Pick<Job, 'id' | 'orgId'> }
);

export function done(isAwaited: boolean | undefined, orgId: string): JobOutcome {
  return { outcome: 'done', ...(isAwaited && { awaitedIn: orgId }) };
}

export function ownedElsewhere(afterSeconds: number): JobOutcome {
  return { outcome: 'taken', afterSeconds };
}
