import { z } from 'zod';
import { camelCased } from '../case.ts';
import { epochSeconds, isoDate } from '../time.ts';

/** In the spelling of JSON. */
export const limits = z.object({
  credits: z.int().nonnegative().describe('A month.'),
  rpm: z.int().positive().describe('Scrapes and submits a minute; also the burst.'),
  reads_per_minute: z.int().positive().describe('Status and result calls a minute; also the burst.'),
  concurrency: z.int().positive().describe('Scrapes in progress at once.'),
});

/** The limits of an organization. Plans set the defaults, and an operator may override single values. */
export const Limits = camelCased(limits);
export type Limits = z.infer<typeof Limits>;

export const Plan = z.enum(['free', 'starter', 'business']);
export type Plan = z.infer<typeof Plan>;

export const Organization = camelCased(
  z.object({
    id: z.string(),
    name: z.string(),
    plan: Plan,
    status: z.enum(['active', 'suspended']),
    overrides: camelCased(limits.partial()),
    created_at: isoDate,
  }),
);
export type Organization = z.infer<typeof Organization>;

/** The reason for a scrape's charge. */
export const EndReason = z.enum([
  'page',
  'target_status',
  'no_page',
  'refused',
  'wall',
  'cached',
  'duplicate',
]);
export type EndReason = z.infer<typeof EndReason>;

/** Groups of routes that a key may be restricted to. */
export const KeyRoute = z.enum(['scrape', 'jobs', 'crawls', 'account', 'webhooks']);
export type KeyRoute = z.infer<typeof KeyRoute>;

/** Restrictions of a key. Absent: none. */
export const KeyRestrictions = camelCased(
  z.object({
    routes: z.array(KeyRoute).min(1).optional(),
    /** Names of formats. */
    formats: z.array(z.string()).min(1).optional(),
    credits_per_day: z.int().nonnegative().optional(),
  }),
);

export type KeyRestrictions = z.infer<typeof KeyRestrictions>;

/** An API key as stored: never the key itself, only its hash. */
export const ApiKeyRecord = camelCased(
  z.object({
    id: z.string(),
    /** SHA-256 of the whole key, hexadecimal. */
    hash: z.string(),
    org_id: z.string(),
    name: z.string(),
    last4: z.string(),
    /** Keys of an earlier version have none. */
    mode: z.enum(['live', 'test']).optional(),
    status: z.enum(['active', 'revoked']),
    created_at: isoDate,
    expires_at: isoDate.optional(),
    /** The name of its creator. */
    created_by: z.string().optional(),
    restrictions: KeyRestrictions.optional(),
    /** Only for keys of the playground: from then on the storage may delete them. */
    forget_at: epochSeconds.optional(),
  }),
);
export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

/**
 * A scrape in progress: the credits it holds, when they are freed (unix milliseconds), and the month it began
 * in. A tuple, because each write of an organization's usage costs by the size of all its slots.
 */
export const Slot = z
  .tuple([z.int(), z.int(), z.string()])
  .transform(([credits, until, period]) => ({ credits, until, period }));
export type Slot = z.infer<typeof Slot>;

/** An organization's usage. Months and days are in UTC, times in unix milliseconds. */
export type Usage = {
  credits: {
    /** The month, `2026-11`. */
    period: string;
    available: number;
    used: number;
    /** Credits that an operator added to the month, by grant. */
    grants: Record<string, number>;
    /** The last turns that were given back in the month, by what they were for, and when. Absent: none. */
    refunds?: Record<string, [number, number]> | undefined;
    /** The day in which scrapes count, `2026-11-21`. Empty in usage that version 0.2.0 stored. */
    day: string;
    /** Counters of that day, and of earlier days until they are moved to their month's own item. */
    days: Record<string, Record<string, number>>;
  };
  limits: {
    /** Theoretical arrival times of the GCRA buckets, unix microseconds. */
    scrapeTat: number;
    readTat: number;
    sendTat: number;
    /** Absent: no key has a daily cap. */
    caps?: Caps | undefined;
  };
  slots: {
    inUse: SlotsInUse;
    /** When the place of each reader of a result expires. */
    readers: Record<string, number>;
    /** When a sync scrape last took a slot, or found none. */
    syncAt: number;
  };
  waiting: {
    /** When a job last found all slots taken. */
    at: number;
    /** Whether jobs may still wait for a slot. */
    isAwaited: boolean;
    /** Whether the organization is on the sweeper's list, as each is whose jobs have slots. */
    isListed: boolean;
  };
  events: {
    /** Types that endpoints receive. */
    types: ReadonlySet<string>;
    /** The last level of a month's credits that was found reached, and the last that an event reported. */
    low: string;
    lowReported: string;
  };
};

export type SlotsInUse = Record<string, Slot>;

/** Credits that keys with a daily cap have used or hold today, and the key of each slot of theirs. */
export type Caps = { spent: Record<string, number>; keyOf: Record<string, string> };
