import type { Log } from '../../../shared/observe/log.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { Places } from '../../../shared/use-cases/jobs/fill-places.ts';
import type { TargetPolicy } from '../../../shared/request/parse-scrape-request.ts';
import type { Chooser, Work } from './choose-work.ts';
import type { Hosts } from '../batches/take-host.ts';
import type { ChunkOutcome, RunChunkNeeds } from '../batches/claim-chunk.ts';
import type { AttemptNeeds } from '../jobs/attempt-job.ts';
import { runChunkLogged, runJobLogged } from '../logged.ts';
import type { WorkBudget } from './work-budget.ts';

export type DrainNeeds = AttemptNeeds & RunChunkNeeds & Pick<Effects, 'wait'>;

export type DrainContext = Pick<Hosts, 'hostConcurrency'> & {
  log: Log;
  signal: AbortSignal;
  /** By which robots.txt knows the service. */
  robotsToken: string;
  policy: TargetPolicy;
  budget: WorkBudget;
  places: Places;
  chooser: Chooser;
};

/** A job may enter the backlog this long after its note. */
const LINGER_MS = 3_000;
const LOOK_MS = 500;
/** Until the next try of a host whose requests are all of other organizations. */
const HOST_SECONDS = 5;

/**
 * Runs jobs of an organization's backlog one after another, in a slot that is free. Ends when no slot or no
 * job is left, or when its turn is over and another invocation continues.
 */
export async function drainBacklog(fx: DrainNeeds, orgId: string, context: DrainContext): Promise<void> {
  let isBrowserFree = true;
  let isSlotLikely = false;
  let hasMoreUntil = 0;
  const skipped = new Set<string>();
  const { budget, chooser } = context;
  for (;;) {
    const work = await chooser.choose(orgId, isBrowserFree, skipped);
    if (work === undefined) {
      // A chunk that was given back does not appear in the index at once.
      const isLagging = fx.now().getTime() < hasMoreUntil;
      const awaited = chooser.waitsForHost(orgId);
      if (awaited && !isLagging) {
        if (awaited === 'other') await fx.queue.wake(orgId, HOST_SECONDS);
        return;
      }
      if (isLagging) await fx.wait(LOOK_MS);
      if (isLagging || (isBrowserFree && (await mayFollow(fx, orgId)))) continue;
      return;
    }
    if (await budget.isOver()) {
      chooser.putBack(work);
      return fx.queue.wake(orgId);
    }
    const outcome = await run(fx, work, { ...context, isSlotLikely });
    if (outcome === 'waits') {
      chooser.putBack(work);
      return;
    }
    chooser.ended(work);
    if (outcome === 'full') continue;
    if (outcome === 'more') hasMoreUntil = fx.now().getTime() + LINGER_MS;
    if (outcome === 'throttled') isBrowserFree = false;
    // Its lines would all be claimed in vain.
    if (outcome === 'throttled' && 'batch' in work) skipped.add(work.batch.id);
    // The slot of the work before.
    isSlotLikely = outcome === 'done' || outcome === 'more';
  }
}

async function run(
  fx: DrainNeeds,
  work: Work,
  context: DrainContext & { isSlotLikely: boolean },
): Promise<ChunkOutcome> {
  const { hostIsFull } = context.chooser;
  if ('chunk' in work) return runChunkLogged(fx, work, { ...context, hostIsFull });
  const verdict = await runJobLogged(fx, work, context);
  if (verdict.outcome === 'waits') return 'waits';
  if (verdict.outcome !== 'again' && verdict.outcome !== 'throttled') return 'done';
  // Unless a fault has kept it there, the job has left the backlog.
  await fx.queue.send(work.job, verdict.afterSeconds);
  return verdict.outcome === 'throttled' ? 'throttled' : 'done';
}

/** Whether a job may enter the empty backlog within moments. If not, notes that none waits. */
async function mayFollow(fx: DrainNeeds, orgId: string): Promise<boolean> {
  const organization = await fx.organizations.find(orgId);
  const usage = organization && (await fx.usage.read(organization, fx.now()));
  if (!organization || !usage?.waiting.isAwaited) return false;
  const { at } = usage.waiting;
  const isRecent = fx.now().getTime() - at < LINGER_MS;
  if (isRecent) await fx.wait(LOOK_MS);
  else await fx.waitList.clear(organization, at);
  return isRecent;
}
