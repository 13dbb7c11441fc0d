import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Slot, type Usage } from '../../../contract/accounts/account.ts';
import type { DayCounts } from '../../../domain/accounts/credits/usage-days.ts';
import { busy } from '../../../errors.ts';
import type { EndOf } from '../../../ports/accounts.ts';
import { openTable, type Write } from '../table.ts';

const counts = z.record(z.string(), z.int());

/** One item, so that one conditional write admits or settles. Attributes with a default may be absent. */
const StoredUsage = z.object({
  period: z.string(),
  available: z.int(),
  used: z.int(),
  grants: counts.default({}),
  refunds: z.record(z.string(), z.tuple([z.int(), z.int()])).optional(),
  day: z.string().default(''),
  days: z.record(z.string(), counts).default({}),
  scrape_tat: z.int(),
  read_tat: z.int(),
  send_tat: z.int().default(0),
  spent: counts.optional(),
  capped: z.record(z.string(), z.string()).default({}),
  slots: z.record(z.string(), Slot),
  readers: counts.default({}),
  sync_at: z.int().default(0),
  waiting_at: z.int().default(0),
  is_awaited: z.boolean().default(false),
  is_listed: z.boolean().default(false),
  events: z.set(z.string()).default(new Set()),
  low: z.string().default(''),
  low_reported: z.string().default(''),
});

function usageOf(item: unknown): Usage {
  const { period, available, used, grants, refunds, day, days, spent, capped, ...stored } =
    StoredUsage.parse(item);
  return {
    credits: { period, available, used, grants, refunds, day, days },
    limits: {
      scrapeTat: stored.scrape_tat,
      readTat: stored.read_tat,
      sendTat: stored.send_tat,
      caps: spent && { spent, keyOf: capped },
    },
    slots: { inUse: stored.slots, readers: stored.readers, syncAt: stored.sync_at },
    waiting: { at: stored.waiting_at, isAwaited: stored.is_awaited, isListed: stored.is_listed },
    events: { types: stored.events, low: stored.low, lowReported: stored.low_reported },
  };
}

const MAX_REMEMBERED = 10_000;

/** Attempts under contention before the service reports `busy`. */
const MAX_ROUNDS = 20;

export type CreditWatch = {
  charged: (credits: number) => void;
  /** The item is in a state that should not occur. */
  anomaly: (orgId: string, anomaly: 'slot ran out' | 'negative number') => void;
};

export type UsageOptions = {
  client: DynamoDBDocumentClient;
  table: string;
  watch?: CreditWatch | undefined;
  /** How a scrape ended whose process died before it settled. */
  endOf?: EndOf | undefined;
};

export type UsageItem = {
  read: (orgId: string) => Promise<Usage | undefined>;
  /** The usage after the write; undefined if its condition did not hold. */
  write: (orgId: string, write: Write) => Promise<Usage | undefined>;
  /** The finished days of a month, from the item that keeps them. */
  readMonth: (orgId: string, month: string) => Promise<Record<string, DayCounts>>;
  writeMonth: (orgId: string, month: string, write: Write) => Promise<void>;
  /** As this process last read or wrote it: a guess that saves round trips. Only a write decides. */
  lastSeen: (orgId: string) => Usage | undefined;
  watch: CreditWatch | undefined;
  endOf: EndOf;
};

/** Items `USAGE#<org>`, and `USAGE#<org>#<month>` with an attribute for each finished day. */
export function usageItem({ client, table: name, watch, endOf }: UsageOptions): UsageItem {
  const table = openTable({ client, table: name });
  const seen = new Map<string, Usage>();
  const keyOf = (...parts: string[]) => ({ pk: ['USAGE', ...parts].join('#') });

  return {
    watch,
    endOf: endOf ?? (() => Promise.resolve(undefined)),
    lastSeen: (orgId) => seen.get(orgId),
    read: async (orgId) => checked(orgId, await table.get(keyOf(orgId))),
    write: async (orgId, write) => checked(orgId, await table.updated(keyOf(orgId), write)),
    readMonth: async (orgId, month) => {
      const item = await table.get(keyOf(orgId, month));
      const days = Object.entries(item ?? {}).filter(([day]) => day.startsWith(`${month}-`));
      return z.record(z.string(), counts).parse(Object.fromEntries(days));
    },
    writeMonth: async (orgId, month, write) => void (await table.update(keyOf(orgId, month), write)),
  };

  function checked(orgId: string, item: unknown): Usage | undefined {
    if (item === undefined) return undefined;
    const usage = usageOf(item);
    if (usage.credits.available < 0 || usage.credits.used < 0) watch?.anomaly(orgId, 'negative number');
    if (seen.size >= MAX_REMEMBERED) seen.clear();
    seen.set(orgId, usage);
    return usage;
  }
}

/**
 * Writes optimistically. If the condition fails, `reread` gets the stored item, and returns the next write or
 * the end. Throws `busy` under contention.
 */
export async function writeOrReread<End>(
  item: UsageItem,
  orgId: string,
  guess: Write,
  reread: (stored: Usage | undefined) => Promise<{ write: Write } | { end: End }>,
): Promise<Usage | End> {
  let write = guess;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const written = await item.write(orgId, write);
    if (written) return written;
    const next = await reread(await item.read(orgId));
    if ('end' in next) return next.end;
    ({ write } = next);
  }
  throw busy();
}
