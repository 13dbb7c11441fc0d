import { z } from 'zod';
import { errorCodes } from '../errors.ts';
import { MAX_PAGE_BYTES, PageHead } from './page.ts';
import { PhaseTimes } from './phase.ts';
import { Device, RENDER_DEFAULTS, WaitUntil } from './scrape-request.ts';

/** A message of the jobs queue: only a pointer, so that a duplicate or old copy carries no wrong values. */
export const JobMessage = z.object({ jobId: z.uuid() });
export type JobMessage = z.infer<typeof JobMessage>;

/** What the body of a message says, or undefined if it is none of ours. */
export function readJobMessage(body: string): JobMessage | undefined {
  try {
    return JobMessage.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** What the browser function is invoked with. Times are milliseconds. */
export const RenderRequest = z.object({
  requestId: z.string(),
  url: z.string(),
  /** From when the function has the request. */
  timeoutMs: z.int().positive(),
  /** Unix time by which the answer has to be there, if that is earlier: by then the caller is gone. */
  deadlineAt: z.int().optional(),
  /** Where to go out through, credentials and all: in no log. Absent: directly. */
  upstreamUrl: z.string().optional(),
  /** For the origin of `url` alone: in no log. */
  headers: z.record(z.string(), z.string()).default({}),
  /** For the host of `url` alone: in no log. */
  cookies: z.record(z.string(), z.string()).default({}),
  waitUntil: WaitUntil.default(RENDER_DEFAULTS.waitUntil),
  waitFor: z.string().optional(),
  /** Milliseconds, after all else. */
  wait: z.int().nonnegative().default(RENDER_DEFAULTS.wait),
  device: Device.default(RENDER_DEFAULTS.device),
  blockResources: z.boolean().default(RENDER_DEFAULTS.blockResources),
  blockAds: z.boolean().default(RENDER_DEFAULTS.blockAds),
});
export type RenderRequest = z.infer<typeof RenderRequest>;

/** What the function's time went to until then. */
const phases = PhaseTimes.default({});
/** How Chromium was started there; absent where it does not start. */
const processes = z.enum(['one', 'many']).optional();

/**
 * First line of the browser function's response stream: JSON and a line feed. With a page, exactly `bytes`
 * bytes of its stored form follow. Fewer mean that the stream was cut off.
 */
export const RenderAnswer = z.discriminatedUnion('outcome', [
  PageHead.extend({
    outcome: z.literal('page'),
    phases,
    processes,
    bytes: z.int().nonnegative().max(MAX_PAGE_BYTES),
    /** The page as gzip, of which `bytes` tells. */
    encoding: z.literal('gzip').optional(),
  }),
  z.object({
    outcome: z.literal('error'),
    phases,
    processes,
    code: z.enum(errorCodes),
    message: z.string(),
    /** More fields of the error body. */
    fields: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  }),
]);
export type RenderAnswer = z.infer<typeof RenderAnswer>;
