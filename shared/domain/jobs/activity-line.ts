import type { ActivityLine } from '../../contract/accounts/activity.ts';
import { modeTriedIn } from '../../contract/scrape/mode.ts';
import type { FinishedJob } from '../../contract/jobs/job.ts';
import { about, countedRung } from '../accounts/activity/lines.ts';
import { endOf } from './state.ts';

/** The line of a job: every process writes the same line at any time. */
export function jobLine(job: FinishedJob): ActivityLine {
  const { kind, charged, reason } = endOf(job);
  const modeTried = job.status === 'completed' ? job.modeTried : modeTriedIn(job.errorFields ?? {});
  const { orgId, keyId, id, completedAt: time, startedAt } = job;
  return {
    ...about(job.request),
    time,
    orgId,
    keyId,
    id,
    type: 'job',
    targetStatus: job.status === 'completed' ? job.targetStatus : undefined,
    verdict: job.status === 'completed' ? job.verdict : undefined,
    code: job.status === 'failed' ? job.errorCode : undefined,
    modeTried,
    cache: job.status === 'completed' ? job.cache : undefined,
    rung: countedRung(job.request, { modeTried, kind }),
    credits: charged,
    reason,
    ms: Math.max(0, time.getTime() - (startedAt ?? time).getTime()),
  };
}
