import type { Log } from '../../shared/observe/log.ts';
import type { Effects } from '../../shared/ports.ts';
import type { Choose } from './choose-job.ts';
import { runLogged } from './run-logged.ts';
import type { Turn } from './turn.ts';

type Needs = Parameters<typeof runLogged>[0] & Pick<Effects, 'queue' | 'wait'>;

export type Context = {
  log: Log;
  signal: AbortSignal;
  turn: Turn;
  choose: Choose;
};

/** A job may enter the backlog this long after its note. */
const LINGER_MS = 3_000;
const LOOK_MS = 500;

/**
 * Runs jobs of an organization's backlog one after another, in a slot that is free. Ends when no slot or no
 * job is left, or when its turn is over and another invocation goes on.
 */
export async function workOff(fx: Needs, orgId: string, context: Context): Promise<void> {
  let isBrowserFree = true;
  for (;;) {
    const job = await context.choose(orgId, isBrowserFree);
    if (job === undefined) {
      if (isBrowserFree && (await mayFollow(fx, orgId))) continue;
      return;
    }
    if (await context.turn.isOver()) return fx.queue.wake(orgId);
    const verdict = await runLogged(fx, job.id, context);
    if (verdict.outcome === 'waits') return;
    if (verdict.outcome !== 'again' && verdict.outcome !== 'throttled') continue;
    // The job has left the backlog.
    await fx.queue.send(job, verdict.afterSeconds);
    if (verdict.outcome === 'throttled') isBrowserFree = false;
  }
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
