import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { camelCased } from '../case.ts';
import { epochSeconds, isoDate } from '../time.ts';
import { VerdictKind } from '../scrape/verdict.ts';

const place = {
  /** The number of the line in the batch, from 1. */
  line: z.int(),
  /** The byte of the stored requests at which it begins. */
  at: z.int(),
};

/** A line whose last attempt failed and that is tried again. */
const Retry = z.object({
  ...place,
  bytes: z.int(),
  attempts: z.int(),
  /** It is not tried before. */
  due: isoDate.optional(),
});
export type Retry = z.infer<typeof Retry>;

/**
 * Consecutive lines of a batch, which one worker at a time runs. `waiting` in its
 * backlog, `running` under a lease, `settling` while what has ended is charged and counted, and `closed`.
 */
export const Chunk = camelCased(
  z.object({
    id: z.uuid(),
    batch_id: z.uuid(),
    org_id: z.string(),
    index: z.int(),
    /**
     * Of a wave of a crawl: the crawl, and the host and port of all its lines. `concurrency`: its requests at
     * once to that host; `delay`: milliseconds between two of them; `robots`: the manifest with what hosts
     * allow, if that counts.
     */
    crawl: z
      .object({
        id: z.uuid(),
        host: z.string(),
        concurrency: z.int(),
        delay: z.int().optional(),
        robots: z.string().optional(),
      })
      .optional(),
    status: z.enum(['waiting', 'running', 'settling', 'closed']),
    /** The number of its first line in the batch, from 1, and its bytes. */
    first_line: z.int(),
    at: z.int(),
    bytes: z.int(),
    /** Requests in it. */
    lines: z.int(),
    /** The next line that was not tried. */
    next: z.object(place),
    retries: z.array(Retry),
    /** Of two workers that believe they own the chunk, the one with the lower number is wrong. */
    fencing_token: z.int(),
    /** Lines that its owner has taken. */
    in_hand: z.int(),
    /** Claims since a claim was last committed or given back. */
    deaths: z.int(),
    /** Lines to be run one at a time, because a worker has died over them. */
    careful: z.int(),
    /** Lines to be run in short turns, because a worker has died over a long one. */
    wary: z.int().optional(),
    completed: z.int(),
    failed: z.int(),
    invalid: z.int(),
    credits: z.int(),
    /** Requests that were charged, and completed ones by their verdict. */
    charged: z.int(),
    verdicts: z.partialRecord(VerdictKind, z.int()),
    /** Stored results, by the token of the worker that stored them; `bytes` before compression. */
    parts: z.array(z.object({ token: z.int(), lines: z.int(), bytes: z.int() })),
    /** How the lines failed that were not run. */
    rest: z.enum(errorCodes).optional(),
    /** Of a wave: the lines that were not run wait until then, in a later wave. */
    put_off: isoDate.optional(),
    /** Counts commits, so that an older count never replaces a newer one. */
    version: z.int(),
    /** What the slot of the last owner held, and what its scrapes cost. */
    charge: z.object({ held: z.int(), charged: z.int(), counts: z.record(z.string(), z.int()) }).optional(),
    /** No worker begins it earlier. */
    not_before: isoDate.optional(),
    /** The end of the lease, or when the sweeper looks at it; in the backlog the batch's deadline. */
    due_at: isoDate.optional(),
    expires_at: epochSeconds,
  }),
);
export type Chunk = z.infer<typeof Chunk>;
