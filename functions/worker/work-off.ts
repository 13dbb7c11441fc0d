import type { Job } from '../../shared/contract/job.ts';
import type { Log } from '../../shared/observe/log.ts';
import type { Effects } from '../../shared/ports.ts';
import { runLogged } from './run-logged.ts';
import type { Turn } from './turn.ts';

type Needs = Parameters<typeof runLogged>[0] & Pick<Effects, 'queue' | 'wait'>;

export type Context = {
  log: Log;
  signal: AbortSignal;
  turn: Turn;
  /** Ids of jobs that this invocation has begun: the backlog still lists them for a moment. */
  tried: Set<string>;
};

/** Workers choose among so many, so that few choose the same one. */
const CHOICE = 25;
/** A job may enter the backlog so long after it was noted. */
const LINGER_MS = 3_000;
const LOOK_MS = 500;

/**
 * Runs jobs of an organization's backlog one after another, in a slot that is free. Ends when no slot or no
 * job is left, or when its turn is over and another invocation goes on.
 */
export async function workOff(fx: Needs, orgId: string, context: Context): Promise<void> {
  let isBrowserFree = true;
  for (;;) {
    const job = await nextOf(fx, orgId, context, isBrowserFree);
    if (job === undefined) {
      if (isBrowserFree && (await mayFollow(fx, orgId))) continue;
      return;
    }
    if (await context.turn.isOver()) return fx.queue.wake(orgId);
    context.tried.add(job.id);
    const verdict = await runLogged(fx, job.id, context);
    if (verdict.outcome === 'waits') return;
    if (verdict.outcome !== 'again') continue;
    // A retry, or no browser is free: the job has left the backlog, and comes back by a message of its own.
    await fx.queue.send(job, verdict.afterSeconds);
    if (job.request.renderJs) isBrowserFree = false;
  }
}

/** One of the first jobs in the backlog that are not begun yet. */
async function nextOf(
  { jobs }: Pick<Needs, 'jobs'>,
  orgId: string,
  { tried }: Context,
  isBrowserFree: boolean,
): Promise<Job | undefined> {
  const found = await jobs.waiting(orgId, CHOICE + tried.size);
  const fresh = found.filter(({ id, request }) => !tried.has(id) && (isBrowserFree || !request.renderJs));
  return fresh[Math.floor(Math.random() ** 2 * Math.min(fresh.length, CHOICE))];
}

/** Whether a job may enter the empty backlog within moments. If not, notes that none waits. */
async function mayFollow(fx: Needs, orgId: string): Promise<boolean> {
  const organization = await fx.accounts.findOrganization(orgId);
  const usage = organization && (await fx.accounts.usage(organization, fx.now()));
  const { isAwaited = false, waitingAt = 0 } = usage ?? {};
  if (!organization || !isAwaited) return false;
  const isRecent = fx.now().getTime() - waitingAt < LINGER_MS;
  if (isRecent) await fx.wait(LOOK_MS);
  else await fx.accounts.clearWaiting(organization, waitingAt);
  return isRecent;
}
