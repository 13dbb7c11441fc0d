import type { Organization, Usage } from '../../../contract/accounts/account.ts';
import {
  admit,
  type Admission,
  type AdmissionRequest,
  currentUsage,
  isHeld,
  isSyncScrape,
  type Refusal,
  withinReach,
} from '../../../domain/accounts/credits/admission.ts';
import { bucketOf } from '../../../domain/accounts/credits/rate-buckets.ts';
import { limitsOf } from '../../../domain/accounts/credits/plan.ts';
import { idleTat } from '../../../domain/accounts/credits/rate-limit.ts';
import { isOfJob, lapsedSlots } from '../../../domain/accounts/credits/slots.ts';
import { dayOf, monthOf, tallyOf } from '../../../domain/accounts/credits/usage-days.ts';
import type { Write } from '../table.ts';
import { admission, initCaps } from './admission-write.ts';
import { syncNoted, type WaitListItem } from './dynamodb-wait-list.ts';
import { countingDay } from './settle-usage.ts';
import { closing, prolongation, readerLeft, unlessProlonged } from './settlement-write.ts';
import { keepFinishedDays, turn } from './usage-days.ts';
import { type UsageItem, writeOrReread } from './usage-item.ts';

type Items = { item: UsageItem; list: WaitListItem };

/** Usually one conditional update. The item is read only if the condition fails. */
export async function admitUsage(
  items: Items,
  organization: Organization,
  asked: AdmissionRequest,
  now: Date,
): Promise<Admission> {
  const { item } = items;
  const { id } = organization;
  const limits = limitsOf(organization);
  const seen = item.lastSeen(id);
  const within = (usage: Usage | undefined) => (usage ? withinReach(asked, usage, limits, now) : asked);
  let request = within(seen);
  const assuming = (usage: Usage | undefined, day: string, period: string) => {
    const isBucketIdle = isIdle(usage, organization, asked, now);
    return admission(limits, request, { now, day, period, isBucketIdle, syncAt: usage?.slots.syncAt ?? 0 });
  };
  const day = countingDay(seen, now);
  let write = assuming(seen, day, monthOf(day));
  const end = await writeOrReread<Admission>(item, id, write, async (found) => {
    const stored = await readyFor(items, organization, request, { found, now });
    if (stored === undefined) return { write };
    await freeLapsed(item, id, stored, now);
    const current = currentUsage(stored, limits, now);
    request = within(current);
    const decision = admit(current, limits, request, now);
    if (decision.outcome === 'refused') {
      await noteSync(item, id, { request, stored, decision, now });
      return { end: decision };
    }
    const kept = await keptPlace(item, id, stored, request);
    if (kept) return { end: { outcome: 'admitted', usage: kept } };
    write = assuming(stored, stored.credits.day, stored.credits.period);
    return { write };
  });
  return 'outcome' in end ? end : { outcome: 'admitted', usage: end };
}

function isIdle(
  usage: Usage | undefined,
  organization: Organization,
  { bucket }: AdmissionRequest,
  now: Date,
): boolean {
  const tat = bucket && bucketOf(bucket, limitsOf(organization)).tat;
  return tat === undefined || (usage?.limits[tat] ?? 0) <= idleTat(now.getTime());
}

/** The item; undefined if it had to be created, turned to a new day or extended first. */
async function readyFor(
  { item, list }: Items,
  organization: Organization,
  { key, slot }: AdmissionRequest,
  { found, now }: { found: Usage | undefined; now: Date },
): Promise<Usage | undefined> {
  const { id } = organization;
  const today = dayOf(now);
  if (found === undefined || found.credits.day < today) {
    if (found) await keepFinishedDays(item, id, found);
    await item.write(id, turn(found, limitsOf(organization), today));
    return undefined;
  }
  const isUnlisted = slot !== undefined && isOfJob(slot.id) && !found.waiting.isListed;
  // On the list first: after a crash the sweeper finds an organization without jobs.
  if (isUnlisted) await list.put(id, now);
  const missing: Write[] = [
    ...(isUnlisted ? [LISTED] : []),
    ...(key && found.limits.caps === undefined ? [initCaps] : []),
  ];
  for (const write of missing) await item.write(id, write);
  return missing.length === 0 ? found : undefined;
}

/** Once the organization is on the list. */
const LISTED: Write = {
  condition: ['attribute_exists(pk)'],
  set: ['is_listed = :true'],
  values: { ':true': true },
};

async function freeLapsed(item: UsageItem, orgId: string, stored: Usage, now: Date): Promise<void> {
  const readers = Object.entries(stored.slots.readers).filter(([, until]) => until <= now.getTime());
  await Promise.all([
    ...lapsedSlots(stored, now).map((id) => freeSlot(item, orgId, stored, id)),
    ...readers.map(([id, until]) => item.write(orgId, readerLeft(id, until))),
  ]);
}

async function freeSlot(item: UsageItem, orgId: string, stored: Usage, id: string): Promise<void> {
  const slot = stored.slots.inUse[id];
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
  refused: { request: AdmissionRequest; stored: Usage; decision: Refusal; now: Date },
): Promise<void> {
  const { request, stored, decision, now } = refused;
  const isForSlot = decision.code === 'too_many_concurrent' && isSyncScrape(request);
  if (isForSlot && now.getTime() - stored.slots.syncAt > NOTED_MS) await item.write(orgId, syncNoted(now));
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
