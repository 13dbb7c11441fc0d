import type { Organization } from '../../../shared/contract/accounts/account.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { limitsOf } from '../../../shared/domain/accounts/credits/plan.ts';
import { chunkSlotId, hasSlotForJob } from '../../../shared/domain/accounts/credits/slots.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { chunkSlotUntil } from './admit-lines.ts';
import type { Places } from '../../../shared/use-cases/jobs/fill-places.ts';
import { addMs } from '../../../shared/time/units.ts';

/** Slots that a turn takes beside its own. They hold no credits: its own slot does. */
export type ExtraSlots = {
  count: () => number;
  /** Takes a slot if one is free. */
  take: () => Promise<boolean>;
  /** Frees the last taken slot. */
  free: () => Promise<void>;
};

type Needs = Pick<Effects, 'usage' | 'queue' | 'now'>;
type Owner = { owned: Chunk; organization: Organization; places: Places };

/** While no slot is free, a turn checks at growing intervals. */
const [MIN_WAIT_MS, MAX_WAIT_MS] = [1_000, 4_000];

/** Of a turn that requests a host of a crawl, which has a limit of its own. */
export const NO_EXTRA_SLOTS: ExtraSlots = {
  count: () => 0,
  take: () => Promise.resolve(false),
  free: () => Promise.resolve(),
};

/** Never throws: a slot that could not be freed is freed with the chunk's own. */
export function extraSlots(fx: Needs, { owned, organization, places }: Owner): ExtraSlots {
  const taken: string[] = [];
  let lane = 0;
  let waitMs = MIN_WAIT_MS;
  let lookAt = fx.now();
  const admitted = async (): Promise<boolean> => {
    const usage = await fx.usage.read(organization, fx.now());
    if (!hasSlotForJob(usage, limitsOf(organization), fx.now())) return false;
    const slot = { id: chunkSlotId(owned, ++lane), until: chunkSlotUntil(owned) };
    const { outcome } = await fx.usage.admit(organization, { credits: 0, slot }, fx.now());
    if (outcome === 'admitted') taken.push(slot.id);
    return outcome === 'admitted';
  };
  return {
    count: () => taken.length,
    take: async () => {
      if (fx.now() < lookAt || places.free() <= 0) return false;
      places.take();
      const isTaken = await admitted().catch(() => false);
      if (!isTaken) places.leave();
      if (!isTaken) lookAt = addMs(fx.now(), waitMs);
      waitMs = isTaken ? MIN_WAIT_MS : Math.min(waitMs * 2, MAX_WAIT_MS);
      return isTaken;
    },
    free: async () => {
      const slotId = taken.pop();
      if (slotId === undefined) return;
      places.leave();
      const freed = fx.usage.settle(organization, { slotId, held: 0 }, fx.now());
      const wake = freed.then(async ({ waiting }) => waiting.isAwaited && fx.queue.wake(organization.id));
      await wake.catch(() => undefined);
    },
  };
}
