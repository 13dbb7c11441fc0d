import type { Usage } from '../contract/account.ts';
import type { Job } from '../contract/job.ts';
import { slotsByJob, slotsOfJobs } from '../domain/credits/slots.ts';
import type { Backlog, Effects } from '../ports.ts';

type Range = {
  limit: number;
  /** A `dueAt`. */
  from?: Date | undefined;
  /** Ids of jobs to leave out. */
  except?: { has: (id: string) => boolean } | undefined;
};

/** Jobs of a backlog that have no slot in their organization's usage, the earliest deadline first. */
export async function waitingJobs(
  { jobs }: Pick<Effects, 'jobs'>,
  backlog: Backlog,
  usage: Usage | undefined,
  { limit, from, except }: Range,
): Promise<Job[]> {
  const slotsOf = slotsByJob(usage);
  // Jobs with slots are the first of a backlog.
  const size = from || !usage ? limit : limit + slotsOfJobs(usage).length;
  const waiting: Job[] = [];
  let after: Job | undefined;
  do {
    const page = await jobs.waiting(backlog, { limit: size, from, after });
    waiting.push(...page.filter(({ id }) => slotsOf(id).length === 0 && !except?.has(id)));
    after = page.length === size ? page.at(-1) : undefined;
  } while (after && waiting.length < limit);
  return waiting.slice(0, limit);
}
