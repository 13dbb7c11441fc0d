import type { OpenJob } from '../../shared/contract/jobs/job.ts';

/** Most jobs end within their first seconds. */
const YOUNG_MS = 10_000;

/** `Retry-After` of a job that has not ended, in seconds. */
export function pollSeconds({ createdAt }: OpenJob, now: Date): string {
  return now.getTime() - createdAt.getTime() < YOUNG_MS ? '1' : '5';
}
