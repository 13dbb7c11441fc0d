import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { EndReason } from './account.ts';
import { camelCased } from '../case.ts';
import { CacheState } from '../scrape/cache.ts';
import { Kind, ModeTried } from '../scrape/mode.ts';
import { RecordedFields } from '../scrape/recorded-fields.ts';
import { isoDate } from '../time.ts';
import { PageVerdict, VerdictKind } from '../scrape/verdict.ts';

const line = z.object({
  time: isoDate,
  org_id: z.string(),
  key_id: z.string(),
  /** Of the request, or of the job. */
  id: z.string(),
  type: z.enum(['scrape', 'job']),
  /** A scrape that is a call of another name; 0.3.0 reads it as a scrape. */
  call: z.literal('map').optional(),
  /** Without its query. */
  url: z.string(),
  host: z.string(),
  options: RecordedFields,
  target_status: z.int().optional(),
  verdict: PageVerdict.optional(),
  /** The error that the scrape ended with. */
  code: z.enum(errorCodes).optional(),
  /** With `mode`: the rungs that were tried. */
  mode_tried: ModeTried.optional(),
  /** As which it counts, if that is not what was requested. */
  rung: Kind.optional(),
  cache: CacheState.optional(),
  credits: z.int(),
  reason: EndReason,
  ms: z.int(),
});

/** One finished scrape. */
export const ActivityLine = camelCased(line);
export type ActivityLine = z.infer<typeof ActivityLine>;

/** A finished scrape, as returned to its organization. */
export const ActivityView = z.object({
  time: z.iso.datetime().describe('When the scrape was requested, or the job finished, in UTC.'),
  type: z.enum(['scrape', 'job', 'map']).describe('`scrape` for a sync scrape.'),
  request_id: z.string().optional().describe('The `X-Request-Id` of the sync scrape or map.'),
  job_id: z.string().optional().describe('The id of the job.'),
  key_id: z.string().describe('The id of the key that was used.'),
  url: z.string().describe('The requested URL without its query.'),
  host: z.string().describe('The host of the URL.'),
  options: RecordedFields.describe('The other fields of the request, except those that may hold a secret.'),
  target_status: z.int().optional().describe('The HTTP status that the target returned.'),
  verdict: VerdictKind.optional().describe('What the target returned: see `X-Page-Verdict`.'),
  verdict_by: z.string().optional().describe('The maker of a bot wall, if known.'),
  code: z.enum(errorCodes).optional().describe('The error that the scrape ended with.'),
  mode_tried: ModeTried.optional().describe('With `mode`: see `X-Mode-Tried`.'),
  cache: CacheState.optional().describe('With `max_age` or `revalidate`: see `X-Cache`.'),
  credits: z.int().describe('Credits charged.'),
  reason: EndReason.describe('The reason for `credits`: see `X-Credits-Reason`.'),
  ms: z.int().describe('Milliseconds from its start to its end.'),
});
export type ActivityView = z.infer<typeof ActivityView>;

/** One page of the list. */
export const ActivityPage = z.object({
  data: z.array(ActivityView),
  next_cursor: z
    .string()
    .optional()
    .describe('Send it as `cursor` to get older entries. Absent on the last page.'),
});
export type ActivityPage = z.infer<typeof ActivityPage>;

const DATE = 'expected a UTC date such as 2026-11-21';
const day = z.iso.date(DATE).optional();

export const ActivityQuery = camelCased(
  z.strictObject({
    limit: z.int().min(1).max(100).default(50).describe('Entries per page, up to 100. Absent: 50.'),
    cursor: z.string().max(200).optional().describe('The `next_cursor` of the previous page.'),
    host: z.string().max(255).optional().describe('Only scrapes of this host.'),
    status: z
      .int()
      .min(100)
      .max(599)
      .optional()
      .describe('Only scrapes for which the target returned this status.'),
    verdict: VerdictKind.optional().describe('Only scrapes with this verdict: see `X-Page-Verdict`.'),
    code: z.enum(errorCodes).optional().describe('Only scrapes that ended with this error.'),
    key_id: z.string().max(64).optional().describe('Only scrapes with this key.'),
    from: day.describe('The first day in UTC. Absent: 30 days ago.'),
    to: day.describe('The last day in UTC. Absent: today.'),
  }),
);
export type ActivityQuery = z.infer<typeof ActivityQuery>;
