import type { Limits, Usage } from '../../../contract/accounts/account.ts';
import type { Job } from '../../../contract/jobs/job.ts';
import { longId, shortId } from './short-id.ts';
import { addMs } from '../../../time/units.ts';

/** Slots whose holder is dead: nobody settled them in time. Slots of jobs are the sweeper's. */
export function lapsedSlots({ slots: { inUse } }: Usage, now: Date): string[] {
  return Object.keys(inUse).filter((id) => !isOfJob(id) && (inUse[id]?.until ?? 0) <= now.getTime());
}

export function hasSlot({ slots }: Usage, id: string): boolean {
  return id in slots.inUse;
}

/** If no sync scrape came for this long, jobs may take all slots. */
const SHARE_MS = 60_000;

/** Slots that jobs may take. While an organization makes sync scrapes, a tenth is kept for them. */
export function jobSlots({ concurrency }: Limits, syncAt: number, now: Date): number {
  const isShared = now.getTime() - syncAt < SHARE_MS;
  const share = isShared ? Math.max(1, Math.floor(concurrency / 10)) : 0;
  return Math.max(Math.min(1, concurrency), concurrency - share);
}

/** How many jobs may begin. Slots whose holder is dead count as free. */
export function freeJobSlots(usage: Usage, limits: Limits, now: Date): number {
  const taken = Object.keys(usage.slots.inUse).length - lapsedSlots(usage, now).length;
  return Math.max(0, jobSlots(limits, usage.slots.syncAt, now) - taken);
}

export function hasSlotForJob(usage: Usage, limits: Limits, now: Date): boolean {
  return freeJobSlots(usage, limits, now) > 0;
}

/** The part of a job that the name of its slot contains. */
export type Claimant = Pick<Job, 'id' | 'fencingToken'>;

/** A slot's name, unlike any other: two workers that take one for the same job can tell them apart. */
export function newSlotId({ id, fencingToken }: Claimant, newId: string): string {
  // The end of a UUIDv7 is random.
  return `${shortId(id)}~${shortId(newId).slice(-NONCE_LENGTH)}~${fencingToken}`;
}
const NONCE_LENGTH = 5;

/** Longer than any attempt: the slots of jobs are freed by their owners, or by the sweeper. */
const SLOT_MS = 25 * 60_000;

export function slotUntil(now: Date): Date {
  return addMs(now, SLOT_MS);
}

/** A slot that was taken for a job with that fencing token, and `held` credits. */
export type JobSlot = { slotId: string; token: number; takenAt: Date; held: number };

type Owned = { id: string; fencingToken: number };

/**
 * The slot of some lines of an upload. Each owner has its own, so that a stale one can't touch another's. A
 * lane beside the first one has a number.
 */
export function chunkSlotId({ id, fencingToken }: Owned, lane?: number): string {
  const name = `${shortId(id)}#${fencingToken}`;
  return lane === undefined ? name : `${name}#${lane}`;
}

/** The slots that the owner of some lines has taken beside the first one. */
export function extraSlotsOf({ slots }: Usage, owned: Owned): string[] {
  return Object.keys(slots.inUse).filter((id) => id.startsWith(`${chunkSlotId(owned)}#`));
}

/** The same for every slot of a job or a lane. */
export function laneOf(slotId: string): string {
  const [holder = '', , lane = ''] = slotId.split('#');
  return isOfJob(slotId) ? holderOf(slotId) : `${holder}#${lane}`;
}

/** Whether a slot is a job's, which the sweeper finds by it. */
export function isOfJob(slotId: string): boolean {
  return slotId.includes('~');
}

/** The slots of jobs, by the time when they were taken. */
export function slotsOfJobs({ slots }: Usage): JobSlot[] {
  return Object.entries(slots.inUse)
    .filter(([slotId]) => isOfJob(slotId))
    .map(([slotId, { until, credits: held }]) => {
      return { slotId, token: Number(slotId.split('~')[2]), takenAt: new Date(until - SLOT_MS), held };
    })
    .sort((a, b) => Number(a.takenAt) - Number(b.takenAt));
}

/** Finds a job's current slots: usually one, briefly two, and none of earlier attempts. */
export function slotsByJob(usage: Usage | undefined): (job: Claimant) => JobSlot[] {
  const byJob = Map.groupBy(usage ? slotsOfJobs(usage) : [], ({ slotId }) => slotId.split('~')[0]);
  return ({ id, fencingToken }) =>
    (byJob.get(shortId(id)) ?? []).filter(({ token }) => token === fencingToken);
}

/** The id of the job, the chunk of an upload or the sync scrape that a slot belongs to. */
export function holderOf(slotId: string): string {
  return longId(slotId.split(/[~#]/)[0] ?? '') ?? '';
}
