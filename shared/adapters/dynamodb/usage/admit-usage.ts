import type { Organization, Usage } from '../../../contract/accounts/account.ts';
import {
  admit,
  type Admission,
  type AdmissionRequest,
  bucketOf,
  currentUsage,
  isHeld,
  isSyncScrape,
  type Refusal,
  withinReach,
} from '../../../domain/accounts/credits/admission.ts';
import { isOfJob, lapsedSlots } from '../../../domain/accounts/credits/slots.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { idleTat } from '../../../domain/accounts/credits/rate-limit.ts';
import { dayOf, monthOf, tallyOf } from '../../../domain/accounts/credits/usage-days.ts';
import { busy } from '../../../errors.ts';
import { roomForCaps } from './cap-writes.ts';
import { turn } from './day-writes.ts';
import { keepFinishedDays } from './keep-days.ts';
import { closing, countingDay, MAX_ROUNDS } from './settle-usage.ts';
import type { UsageItem } from './usage-item.ts';
import { admission, prolongation, readerLeft, roomForReaders, unlessProlonged } from './usage-writes.ts';
import { listed, syncNoted } from './waiting-writes.ts';

/** Usually one conditional update. The item is read only if the condition fails. */
export async function admitUsage(
  item: UsageItem,
  organization: Organization,
  asked: AdmissionRequest,
  now: Date,
): Promise<Admission> {
  const { id } = organization;
  const limits = limitsOf(organization);
  const within = (usage: Usage | undefined) => (usage ? withinReach(asked, usage, limits, now) : asked);
  const isIdle = (usage: Usage | undefined) => isBucketIdle(usage, organization, asked, now);
  const seen = item.lastSeen(id);
  const today = dayOf(now);
  const day = countingDay(seen, now);
  let request = within(seen);
  let guess = { now, day, period: monthOf(day), isBucketIdle: isIdle(seen), syncAt: seen?.syncAt };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const written = await item.write(id, admission(limits, request, guess));
    if (written) return { outcome: 'admitted', usage: written };
    const stored = await readOrBegin(item, organization, request, { today, now });
    if (stored === undefined) continue;
    await freeLapsed(item, id, stored, now);
    const current = currentUsage(stored, limits, now);
    request = within(current);
    const verdict = admit(current, limits, request, now);
    if (verdict.outcome === 'refused') {
      await noteSync(item, id, { request, stored, verdict, now });
      return verdict;
    }
    const kept = await keptPlace(item, id, stored, request);
    if (kept) return { outcome: 'admitted', usage: kept };
    guess = {
      now,
      day: stored.day ?? today,
      period: stored.period,
      isBucketIdle: isIdle(stored),
      syncAt: stored.syncAt,
    };
  }
  throw busy();
}

function isBucketIdle(
  usage: Usage | undefined,
  organization: Organization,
  { bucket }: AdmissionRequest,
  now: Date,
): boolean {
  const tat = bucket && bucketOf(bucket, limitsOf(organization)).tat;
  return tat === undefined || (usage?.[tat] ?? 0) <= idleTat(now.getTime());
}

/** The item; undefined if it had to be created, turned to a new day or extended first. */
async function readOrBegin(
  item: UsageItem,
  organization: Organization,
  { reader, key, slot }: AdmissionRequest,
  { today, now }: { today: string; now: Date },
): Promise<Usage | undefined> {
  const { id } = organization;
  const stored = await item.read(id);
  if (stored?.day === undefined || stored.day < today) {
    if (stored) await keepFinishedDays(item, id, stored);
    await item.write(id, turn(stored, limitsOf(organization), today));
    return undefined;
  }
  const isUnlisted = slot !== undefined && isOfJob(slot.id) && !stored.isListed;
  // On the list first: after a crash the sweeper finds an organization without jobs.
  if (isUnlisted) await item.list(id, now);
  const rooms = [
    ...(isUnlisted ? [listed] : []),
    ...(reader && stored.readers === undefined ? [roomForReaders] : []),
    ...(key && stored.spent === undefined ? [roomForCaps] : []),
  ];
  for (const room of rooms) await item.write(id, room);
  return rooms.length === 0 ? stored : undefined;
}

async function freeLapsed(item: UsageItem, orgId: string, stored: Usage, now: Date): Promise<void> {
  const readers = Object.entries(stored.readers ?? {}).filter(([, until]) => until <= now.getTime());
  await Promise.all([
    ...lapsedSlots(stored, now).map((id) => freeSlot(item, orgId, stored, id)),
    ...readers.map(([id, until]) => item.write(orgId, readerLeft(id, until))),
  ]);
}

async function freeSlot(item: UsageItem, orgId: string, stored: Usage, id: string): Promise<void> {
  const slot = stored.slots[id];
  if (slot === undefined) return;
  // It may have been recorded, and thus charged, before its process died.
  const ended = await item.endOf(orgId, id);
  const closed = await item.write(
    orgId,
    unlessProlonged(closing(stored, id, slot, ended && tallyOf(ended)), slot.until),
  );
  if (closed) item.watch?.anomaly(orgId, 'slot ran out');
}

const NOTED_MS = 10_000;

/** Jobs leave a share of the slots to sync scrapes, once one has found none. */
async function noteSync(
  item: UsageItem,
  orgId: string,
  refused: { request: AdmissionRequest; stored: Usage; verdict: Refusal; now: Date },
): Promise<void> {
  const { request, stored, verdict, now } = refused;
  const isForSlot = verdict.code === 'too_many_concurrent' && isSyncScrape(request);
  if (isForSlot && now.getTime() - (stored.syncAt ?? 0) > NOTED_MS) await item.write(orgId, syncNoted(now));
}

/** The usage if the slot or reader already exists: an earlier response was lost. */
async function keptPlace(
  item: UsageItem,
  orgId: string,
  stored: Usage,
  request: AdmissionRequest,
): Promise<Usage | undefined> {
  if (!isHeld(stored, request)) return undefined;
  const { slot } = request;
  return slot ? item.write(orgId, prolongation(slot.id, slot.until)) : stored;
}
