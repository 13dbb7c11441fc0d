import { z } from 'zod';
import { errorCodes } from '../errors.ts';
import { PageHead } from './page.ts';

/** One message of the jobs queue: a pointer, so that a duplicate or a stale copy carries nothing that can be wrong. */
export const JobMessage = z.object({ jobId: z.uuid() });
export type JobMessage = z.infer<typeof JobMessage>;

/** What the browser function is invoked with. Times are milliseconds. */
export const RenderRequest = z.object({
  requestId: z.string(),
  url: z.string(),
  timeoutMs: z.int().positive(),
  /** Where to go out through, credentials and all: in no log. Absent: directly. */
  upstreamUrl: z.string().optional(),
});
export type RenderRequest = z.infer<typeof RenderRequest>;

/**
 * First line of the browser function's response stream, as JSON and a line feed. With a page, exactly `bytes` bytes
 * of it follow: fewer mean that the stream was cut off.
 */
export const RenderAnswer = z.discriminatedUnion('outcome', [
  PageHead.extend({ outcome: z.literal('page'), bytes: z.int() }),
  z.object({ outcome: z.literal('error'), code: z.enum(errorCodes), message: z.string() }),
]);
export type RenderAnswer = z.infer<typeof RenderAnswer>;
