import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Organization, type Slot, Usage } from '../contract/account.ts';
import {
  admit,
  type AdmissionRequest,
  bucketOf,
  currentUsage,
  lapsedSlots,
  periodOf,
  slotName,
} from '../domain/admission.ts';
import { limitsOf } from '../domain/plan.ts';
import { idleTat } from '../domain/rate-limit.ts';
import { busy } from '../errors.ts';
import type { Accounts } from '../ports.ts';
import {
  admission,
  prolongation,
  release,
  renewal,
  settlement,
  unlessProlonged,
  type UsageWrite,
} from './usage-writes.ts';

/** Rounds of looking and trying again, under contention, before the caller is told that the service is busy. */
const MAX_ROUNDS = 20;

const MAX_REMEMBERED = 10_000;

/** Told of what happens to credits. */
export type CreditWatch = {
  /** So many were settled just now, by this write. */
  charged: (credits: number) => void;
  /** Something is there that should not be. */
  anomaly: (orgId: string, anomaly: 'slot ran out' | 'negative number') => void;
};

export type UsageOptions = { client: DynamoDBDocumentClient; table: string; watch?: CreditWatch | undefined };

/**
 * Admission and settlement on the item `USAGE#<org>`: one conditional update in the usual case. Only when its condition
 * fails is the item read: to tell why, to renew the month, to free slots whose holder died.
 */
export function dynamodbUsage({
  client,
  table,
  watch,
}: UsageOptions): Pick<Accounts, 'usage' | 'admit' | 'settle'> {
  /** A guess at how full the buckets are, which saves a busy organization two round trips; only the write decides. */
  const lastSeen = new Map<string, Usage>();

  return {
    usage: async (organization, now) => currentUsage(await read(organization), limitsOf(organization), now),
    admit: (organization, { slot, ...request }, now) =>
      admitted(organization, slot ? { ...request, slot: { ...slot, id: slotName(slot.id) } } : request, now),
    settle: async (organization, { slotId: id, held, charged }, now) => {
      const slotId = slotName(id);
      const written = await write(organization, settlement(slotId, periodOf(now), held, charged));
      if (written && charged > 0) watch?.charged(charged);
      return written ?? settleSeen(organization, slotId, charged, now);
    },
  };

  async function admitted(organization: Organization, request: AdmissionRequest, now: Date) {
    const limits = limitsOf(organization);
    const bucket = request.bucket && bucketOf(request.bucket, limits);
    const isIdle = (usage: Usage | undefined) =>
      bucket === undefined || (usage?.[bucket.tat] ?? 0) <= idleTat(now.getTime());
    let isBucketIdle = isIdle(lastSeen.get(organization.id));
    let period = periodOf(now);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const written = await write(organization, admission(limits, request, { now, period, isBucketIdle }));
      if (written) return { outcome: 'admitted' as const, usage: written };

      const stored = await read(organization);
      if (stored === undefined || stored.period < period) {
        await write(organization, renewal(stored, limits, period));
        continue;
      }
      // Where another's clock was the first to see a new month, that is the month.
      period = stored.period;
      await Promise.all(lapsedSlots(stored, now).map((id) => free(organization, stored, id)));

      const verdict = admit(currentUsage(stored, limits, now), limits, request, now);
      if (verdict.outcome === 'refused') return verdict;
      const held = request.slot && stored.slots[request.slot.id];
      if (request.slot && held) {
        const prolonged = await write(organization, prolongation(request.slot.id, request.slot.until));
        if (prolonged) return { outcome: 'admitted' as const, usage: prolonged };
      }
      isBucketIdle = isIdle(stored);
    }
    throw busy();
  }

  /** Settles by what is there, for the first guess was wrong: another month, or nothing to settle any more. */
  async function settleSeen(
    organization: Organization,
    slotId: string,
    charged: number,
    now: Date,
  ): Promise<Usage> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const stored = await read(organization);
      const slot = stored?.slots[slotId];
      if (stored === undefined || slot === undefined)
        return currentUsage(stored, limitsOf(organization), now);
      const written = await write(organization, closing(stored, slotId, slot, charged));
      if (written && charged > 0 && slot.period === stored.period) watch?.charged(charged);
      if (written) return written;
    }
    throw busy();
  }

  function remember(orgId: string, usage: Usage): Usage {
    if (lastSeen.size >= MAX_REMEMBERED) lastSeen.clear();
    lastSeen.set(orgId, usage);
    return usage;
  }

  async function free(organization: Organization, stored: Usage, id: string) {
    const slot = stored.slots[id];
    const closed =
      slot && (await write(organization, unlessProlonged(closing(stored, id, slot, 0), slot.until)));
    if (closed) watch?.anomaly(organization.id, 'slot ran out');
  }

  async function read({ id }: Organization): Promise<Usage | undefined> {
    const { Item } = await client.send(
      new GetCommand({ TableName: table, Key: { pk: `USAGE#${id}` }, ConsistentRead: true }),
    );
    return Item && looked(id, Usage.parse(Item));
  }

  function looked(orgId: string, usage: Usage): Usage {
    if (usage.available < 0 || usage.used < 0) watch?.anomaly(orgId, 'negative number');
    return usage;
  }

  /** Usage after the write, or undefined if its condition did not hold. */
  async function write({ id }: Organization, { set, remove, condition, values, names }: UsageWrite) {
    const update = [set.length > 0 ? `SET ${set.join(', ')}` : '', remove ? `REMOVE ${remove}` : ''].join(
      ' ',
    );
    try {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName: table,
          Key: { pk: `USAGE#${id}` },
          UpdateExpression: update,
          ConditionExpression: condition.join(' AND '),
          ExpressionAttributeValues: values,
          ExpressionAttributeNames: names,
          ReturnValues: 'ALL_NEW',
        }),
      );
      return remember(id, looked(id, Usage.parse(Attributes)));
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return undefined;
      throw error;
    }
  }
}

/** Credits held in an earlier month neither come back into this one nor count as used in it. */
function closing(stored: Usage, id: string, slot: Slot, charged: number): UsageWrite {
  return slot.period === stored.period
    ? settlement(id, stored.period, slot.credits, charged)
    : release(id, slot.period, stored.period);
}
