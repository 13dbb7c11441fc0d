import type { Batch } from '../../shared/contract/batches/batch.ts';
import type { OpenJob } from '../../shared/contract/jobs/job.ts';
import { isFinished } from '../../shared/domain/jobs/state.ts';
import type { Organization } from '../../shared/contract/accounts/account.ts';
import { slotsOfJobs } from '../../shared/domain/accounts/credits/slots.ts';
import { wakeWorkers } from '../../shared/use-cases/jobs/wake-workers.ts';
import { failChunk } from '../../shared/use-cases/batches/settle-chunk.ts';
import { failJob, type Needs } from './jobs.ts';
import type { Due } from './sweep-due.ts';

const PAGE = 100;
/** Messages to one backlog per sweep. Each starts a job and continues with the next ones. */
const MAX_WAKES = 20;
/** Batches read per organization and sweep. Others follow when these are done. */
const MAX_BATCHES = 100;
/** An organization is taken off the list this long after its last note. The index lags by far less. */
const FORGET_MS = 10 * 60_000;

type Listed = { orgId: string; since: number };

/** Organizations with a backlog: the work grows with them, not with their jobs. */
export function organizationsWithBacklogs(fx: Needs): Due<Listed, 'woken' | 'overdue'> {
  return {
    name: 'backlogs',
    list: async () => fx.waitList.list(),
    idOf: ({ orgId }) => orgId,
    moveOn: async ({ orgId, since }, signal) => {
      const batches = await fx.batches.open(orgId, MAX_BATCHES);
      const overdue = await failAllOverdue(fx, { orgId, batches }, signal);
      const organization = await fx.organizations.find(orgId);
      const woken = organization ? await wake(fx, organization, { since, batches }) : 0;
      return { overdue, woken };
    },
    concurrency: 20,
  };
}

async function failAllOverdue(
  fx: Needs,
  { orgId, batches }: { orgId: string; batches: readonly Batch[] },
  signal: AbortSignal,
): Promise<number> {
  let overdue = await failOverdue(fx, orgId, signal);
  for (const batch of batches) overdue += await failOverdueChunks(fx, batch, signal);
  return overdue;
}

async function failOverdue(fx: Needs, orgId: string, signal: AbortSignal): Promise<number> {
  let failed = 0;
  let after: OpenJob | undefined;
  do {
    const page = await fx.jobs.waiting(orgId, { limit: PAGE, after });
    const overdue = page.filter(({ dueAt }) => dueAt <= fx.now());
    if (overdue.length > 0) failed += await failThose(fx, overdue);
    after = overdue.length === PAGE ? overdue.at(-1) : undefined;
  } while (after && !signal.aborted);
  return failed;
}

/** The index lags behind, and lists jobs in progress: those are left alone. */
async function failThose(fx: Needs, overdue: readonly OpenJob[]): Promise<number> {
  const stored = await fx.jobs.findAll(overdue.map(({ id }) => id));
  const waiting = stored.filter((job): job is OpenJob => !isFinished(job) && job.isWaiting === true);
  await Promise.all(waiting.map(async (job) => failJob(fx, job, 'deadline_exceeded')));
  return waiting.length;
}

/** All chunks of a batch have its deadline. */
async function failOverdueChunks(fx: Needs, batch: Batch, signal: AbortSignal): Promise<number> {
  const seen = new Set<string>();
  while (batch.deadlineAt <= fx.now() && !signal.aborted) {
    const listed = await fx.chunks.waiting(batch, PAGE + seen.size);
    const overdue = listed.filter(({ id }) => !seen.has(id));
    if (overdue.length === 0) break;
    await Promise.all(
      overdue.map(async (chunk) => {
        seen.add(chunk.id);
        await failChunk(fx, batch, chunk, 'deadline_exceeded');
      }),
    );
  }
  return seen.size;
}

type Looked = { since: number; batches: readonly Batch[] };

async function wake(fx: Needs, organization: Organization, { since, batches }: Looked): Promise<number> {
  const now = fx.now();
  const usage = await fx.usage.read(organization, now);
  let waiting = (await fx.jobs.waiting(organization.id, { limit: MAX_WAKES })).length;
  for (const batch of batches) if (waiting < MAX_WAKES) waiting += await waitingIn(fx, batch);
  if (waiting === 0) {
    const { at } = usage.waiting;
    const isQuiet = batches.length === 0 && slotsOfJobs(usage).length === 0;
    if (isQuiet && now.getTime() - Math.max(at, since) > FORGET_MS) await forget(fx, organization, at, since);
    return 0;
  }
  return wakeWorkers(fx, organization, usage, Math.min(waiting, MAX_WAKES));
}

async function waitingIn(fx: Needs, batch: Batch): Promise<number> {
  const listed = await fx.chunks.waiting(batch, MAX_WAKES);
  return listed.filter(({ notBefore }) => notBefore === undefined || notBefore <= fx.now()).length;
}

/** Not while a note is set: a job that enters the backlog or gets a slot then relies on the list. */
async function forget(
  fx: Needs,
  organization: Organization,
  waitingAt: number,
  since: number,
): Promise<void> {
  await fx.waitList.clear(organization, waitingAt);
  await fx.waitList.unlist(organization);
  const usage = await fx.usage.read(organization, fx.now());
  const { isAwaited, isListed } = usage.waiting;
  const isUsed = isAwaited || isListed || slotsOfJobs(usage).length > 0;
  if (!isUsed) await fx.waitList.takeOff(organization.id, since);
}
