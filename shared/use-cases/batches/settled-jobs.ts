import type { FinishedJob } from '../../contract/jobs/job.ts';
import { jobIdOf } from '../../domain/batches/job-id.ts';
import { isFinished, isVisible } from '../../domain/jobs/state.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = Pick<Effects, 'jobs' | 'now'>;

/** The kept ones of a batch's ended jobs, by their indexes, in the order in which they ended. */
export async function settledJobs(
  { jobs, now }: Needs,
  batchId: string,
  indexes: Iterable<number>,
): Promise<FinishedJob[]> {
  const found = await jobs.findAll([...indexes].map((index) => jobIdOf(batchId, index)));
  const kept = found.filter(isFinished).filter((job) => isVisible(job, now()));
  return kept.sort(byEnd);
}

/** The job that ended first before the others. */
export const byEnd = (a: FinishedJob, b: FinishedJob) =>
  Number(a.completedAt) - Number(b.completedAt) || (a.id < b.id ? -1 : 1);
