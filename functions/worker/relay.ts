import { isFinished } from '../../shared/domain/job/state.ts';
import { claimableAt } from '../../shared/domain/job/timing.ts';
import type { Effects } from '../../shared/ports.ts';
import type { Settle } from '../../shared/use-cases/finish-job.ts';
import type { Work } from './choose-work.ts';
import { own, slotFor } from './claim-job.ts';
import { objectionToJob } from './objection-to.ts';
import type { ClaimedAhead } from './run-job.ts';
import type { Turn } from './turn.ts';

export type Relay = {
  /** Call it once the page of a job is there: chooses and claims the next one. */
  onPage: () => void;
  /** Frees the slot of that job, or hands it over in the same write. */
  settle: Settle;
  /** What was chosen, once. Undefined if nothing was. */
  next: () => Promise<Work | ClaimedAhead | undefined>;
};

type Needs = Pick<Effects, 'accounts' | 'jobs' | 'now'>;
type Source = { choose: () => Promise<Work | undefined>; turn: Turn };

/** Another worker may claim the same job first. */
const MOST_TRIES = 3;

/** Lets one job of a backlog follow another one in the same slot, which is never free in between. */
export function openRelay(fx: Needs, source: Source): Relay {
  let chosen: Promise<Work | ClaimedAhead | undefined> = Promise.resolve(undefined);
  return {
    onPage: () => {
      // After a fault the worker looks again. A job that was claimed nevertheless is the sweeper's.
      chosen = claimAhead(fx, source).catch(() => undefined);
    },
    settle: async (organization, { slotId, held, ended }) => {
      const ahead = await chosen;
      if (ahead && 'owned' in ahead && ended && !ahead.isAdmitted) {
        const wanted = { settled: { slotId, held, ended }, next: await slotFor(fx, ahead.owned) };
        const usage = await fx.accounts.handOver(organization, wanted, fx.now());
        ahead.isAdmitted = usage !== undefined;
        if (usage) return usage;
      }
      return fx.accounts.settle(organization, { slotId, held, ended }, fx.now());
    },
    next: async () => {
      const next = await chosen;
      chosen = Promise.resolve(undefined);
      return next;
    },
  };
}

/** Lines of an upload, and a job that may no longer run, are left as they are. */
async function claimAhead(fx: Needs, { choose, turn }: Source): Promise<Work | ClaimedAhead | undefined> {
  if (await turn.isOver()) return undefined;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const work = await choose();
    if (work === undefined || 'chunk' in work) return work;
    const { job } = work;
    const organization = await fx.accounts.findOrganization(job.orgId);
    if (isFinished(job) || claimableAt(job) > fx.now()) return work;
    if (!organization || (await objectionToJob(fx, job, organization))) return work;
    const owned = await own(fx, job, organization);
    if (owned) return { owned, readySince: claimableAt(job), isAdmitted: false };
  }
  return undefined;
}
