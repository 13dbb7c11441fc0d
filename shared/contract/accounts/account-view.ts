import { z } from 'zod';
import { Kind } from '../scrape/mode.ts';
import { type EndReason, limits, Plan } from './account.ts';
import { camelCased } from '../case.ts';

const credits = (what: string) => z.int().describe(what);

/** An organization, as returned to its keys. */
export const AccountView = z.object({
  org_id: z.string(),
  name: z.string(),
  plan: Plan,
  status: z.enum(['active', 'suspended']),
  limits,
  period: z.string().describe('The calendar month in UTC, `2026-11`.'),
  credits: z.object({
    granted: credits('Granted for this month.'),
    used: credits('Charged this month.'),
    held: credits('Held by scrapes in progress.'),
    available: credits('Left this month.'),
    resets_at: z.iso.datetime().describe('When the next month of credits begins.'),
  }),
  in_progress: z.int().describe('Scrapes in progress.'),
});
export type AccountView = z.infer<typeof AccountView>;

const count = (what: string) => z.int().describe(what);
const totals = {
  scrapes: count('Scrapes that ended.'),
  succeeded: count('Scrapes that delivered a page, new, kept or the same as another one.'),
  failed: count('All other scrapes.'),
  credits: count('Credits charged.'),
};

/** Usage by day. */
export const UsageView = z.object({
  from: z.iso.date().describe('The first day.'),
  to: z.iso.date().describe('The last day.'),
  by: z.literal('day'),
  total: z.object(totals),
  data: z
    .array(
      z.object({
        day: z.iso.date().describe('In UTC.'),
        kind: Kind.describe('`both`: rendered, through the premium proxy.'),
        ...totals,
        reasons: z
          .object({
            page: z.int(),
            target_status: z.int(),
            no_page: z.int(),
            refused: z.int(),
            wall: z.int(),
            cached: z.int(),
            duplicate: z.int(),
          } satisfies Record<EndReason, z.ZodInt>)
          .describe('Number of scrapes by `X-Credits-Reason`.'),
      }),
    )
    .describe('One row per day and kind with scrapes, oldest first.'),
});
export type UsageView = z.infer<typeof UsageView>;

const date = z.iso.date('expected a UTC date such as 2026-11-21').optional();

export const UsageQuery = camelCased(
  z.strictObject({
    from: date.describe('The first day in UTC, up to 13 months back. Absent: 30 days up to `to`.'),
    to: date.describe('The last day in UTC. Absent: today.'),
    by: z.literal('day').default('day').describe('How rows are grouped.'),
  }),
);
export type UsageQuery = z.infer<typeof UsageQuery>;
