import type { FinishedJob } from '../../shared/contract/jobs/job.ts';
import { isFinished } from '../../shared/domain/jobs/state.ts';
import { preferredSeconds } from '../../shared/http/prefer.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Effects } from '../../shared/ports/effects.ts';

export type WaitNeeds = Pick<Effects, 'now' | 'wait'> & { jobs: Pick<Effects['jobs'], 'find'> };

/** Longer waits are cut, as RFC 7240 permits. */
const MAX_SECONDS = 60;
/** Two reads a second, of which the first finds most plain pages. */
const [FIRST_MS, INTERVAL_MS] = [200, 500];
/** Time to send the result in. */
const MARGIN_MS = 15_000;

/** Seconds that the caller prefers to wait for the job; undefined if it does not. */
export function secondsToWait({ headers }: AuthenticatedCall): number | undefined {
  const seconds = preferredSeconds(headers, 'wait');
  return seconds === undefined ? undefined : Math.min(seconds, MAX_SECONDS);
}

type Wait = {
  seconds: number;
  endsAt: Date;
  /** Takes a place to wait in, after the first look. False if there is none. */
  takePlace: () => Promise<boolean>;
};

/** The job once it has ended, if it does so within `seconds`, a place and the time of the function. */
export async function waitForJob(
  { jobs, now, wait }: WaitNeeds,
  id: string,
  { seconds, endsAt, takePlace }: Wait,
): Promise<FinishedJob | undefined> {
  const until = Math.min(now().getTime() + seconds * 1_000, endsAt.getTime() - MARGIN_MS);
  for (let pause = FIRST_MS; ; pause = INTERVAL_MS) {
    await wait(Math.max(0, Math.min(pause, until - now().getTime())));
    const job = await jobs.find(id);
    if (job === undefined || isFinished(job)) return job;
    if (now().getTime() >= until) return undefined;
    if (pause === FIRST_MS && !(await takePlace())) return undefined;
  }
}
