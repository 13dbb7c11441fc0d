import type { Limits, Usage } from '../../contract/account.ts';
import { shortId } from './short-id.ts';

/** Slots whose holder is dead: nobody settled them in time. */
export function lapsedSlots({ slots }: Usage, now: Date): string[] {
  return Object.keys(slots).filter((id) => (slots[id]?.until ?? 0) <= now.getTime());
}

export function hasSlot({ slots }: Usage, id: string): boolean {
  return id in slots;
}

/** If no sync scrape came for this long, jobs may take all slots. */
const SHARE_MS = 60_000;

/** Slots that jobs may take. While an organization makes sync scrapes, a tenth is kept for them. */
export function jobSlots(
  { concurrency }: Limits,
  usage: Pick<Usage, 'syncAt'> | undefined,
  now: Date,
): number {
  const isShared = now.getTime() - (usage?.syncAt ?? -Infinity) < SHARE_MS;
  const share = isShared ? Math.max(1, Math.floor(concurrency / 10)) : 0;
  return Math.max(Math.min(1, concurrency), concurrency - share);
}

/** How many jobs may begin. Slots whose holder is dead count as free. */
export function freeJobSlots(usage: Usage, limits: Limits, now: Date): number {
  const taken = Object.keys(usage.slots).length - lapsedSlots(usage, now).length;
  return Math.max(0, jobSlots(limits, usage, now) - taken);
}

export function hasSlotForJob(usage: Usage, limits: Limits, now: Date): boolean {
  return freeJobSlots(usage, limits, now) > 0;
}

/** Each owner has its own slot, so that a stale one can't touch another's. */
export function slotIdOf({ id, fencingToken }: { id: string; fencingToken: number }): string {
  return `${shortId(id)}#${fencingToken}`;
}
