import { hasSlot } from '../../../shared/domain/accounts/credits/slots.ts';
import { isFinished } from '../../../shared/domain/jobs/state.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { Settle } from '../../../shared/use-cases/jobs/finish-job.ts';
import type { Work } from './choose-work.ts';
import { slotFor } from '../take-slot.ts';
import type { Turn } from './turn.ts';

export type Relay = {
  /** Call it once the page of a job is there: chooses the next one. */
  onPage: () => void;
  /** Frees the slot of that job, or hands it over in the same write. */
  settle: Settle;
  /** What was chosen, once, with its slot if it was handed over. Undefined if nothing was. */
  next: () => Promise<Work | undefined>;
};

type Needs = Pick<Effects, 'waitList' | 'keys' | 'usage' | 'now' | 'newId'>;
type Source = { choose: () => Promise<Work | undefined>; turn: Turn };

/** Lets one job of a backlog follow another one in the same slot, which is never free in between. */
export function openRelay(fx: Needs, { choose, turn }: Source): Relay {
  let chosen: Promise<Work | undefined> = Promise.resolve(undefined);
  return {
    onPage: () => {
      const next = turn.isOver().then((isOver) => (isOver ? undefined : choose()));
      // After a fault the worker looks again.
      chosen = next.catch(() => undefined);
    },
    settle: async (organization, { slotId, held, ended }) => {
      const ahead = (await turn.isOver()) ? undefined : await chosen;
      const settle = () => fx.usage.settle(organization, { slotId, held, ended }, fx.now());
      if (!ahead || !('job' in ahead) || isFinished(ahead.job) || !ended) return settle();
      const next = await slotFor(fx, ahead.job);
      const wanted = { settled: { slotId, held, ended }, next };
      // After a lost response the slot may be handed over already.
      const usage = (await fx.usage.handOver(organization, wanted, fx.now())) ?? (await settle());
      if (hasSlot(usage, next.slot.id))
        chosen = Promise.resolve({ job: ahead.job, slot: { id: next.slot.id, usage } });
      return usage;
    },
    next: async () => {
      const next = await chosen;
      chosen = Promise.resolve(undefined);
      return next;
    },
  };
}
