import type { Usage } from '../../contract/accounts/account.ts';
import type { OpenJob } from '../../contract/jobs/job.ts';
import { slotsByJob } from '../../domain/accounts/credits/slots.ts';
import type { Effects } from '../../ports/effects.ts';

type Range = {
  limit: number;
  /** A `dueAt`. */
  from?: Date | undefined;
  /** Ids of jobs to leave out. */
  except?: { has: (id: string) => boolean } | undefined;
};

/** Jobs of an organization's backlog that have no slot in its usage, the earliest deadline first. */
export async function waitingJobs(
  { jobs }: Pick<Effects, 'jobs'>,
  orgId: string,
  usage: Usage | undefined,
  { limit, from, except }: Range,
): Promise<OpenJob[]> {
  const slotsOf = slotsByJob(usage);
  const waiting: OpenJob[] = [];
  let after: OpenJob | undefined;
  do {
    const page = await jobs.waiting(orgId, { limit, from, after });
    waiting.push(...page.filter((job) => slotsOf(job).length === 0 && !except?.has(job.id)));
    after = page.length === limit ? page.at(-1) : undefined;
  } while (after && waiting.length < limit);
  return waiting.slice(0, limit);
}
