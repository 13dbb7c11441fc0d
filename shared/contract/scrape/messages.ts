import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { camelShape, withDefaults } from '../case.ts';
import { MAX_PAGE_BYTES, PageHead } from './page.ts';
import { Captured, captureField } from './capture.ts';
import { ScenarioReport } from './js-scenario.ts';
import { pictureFields, PictureHeads } from './picture.ts';
import { PhaseTimes } from './phase.ts';
import { ResponseHeaders } from './response-headers.ts';
import { RENDER_DEFAULTS, withRenderJs } from './scrape-request.ts';

/**
 * A message of the jobs queue: a job, an organization whose backlog has work, a batch whose upload is to
 * be read, or a crawl to plan on. Only a pointer, so that a duplicate or old copy carries no wrong values.
 */
export const JobMessage = z.union([
  z.object({ jobId: z.uuid() }),
  z.object({ orgId: z.string() }),
  z.object({ uploadOf: z.uuid() }),
  z.object({ crawlId: z.uuid() }),
]);
export type JobMessage = z.infer<typeof JobMessage>;

/** Parses a message body. Undefined if it is not a job message. */
export function readJobMessage(body: string): JobMessage | undefined {
  try {
    return JobMessage.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** A delivery to attempt, or an organization whose use of credits to report. */
const NotifierMessage = z.union([
  z.object({ orgId: z.string(), endpointId: z.string(), id: z.string() }),
  z.object({ creditsOf: z.string() }),
]);
export type NotifierMessage = z.infer<typeof NotifierMessage>;

export function readNotifierMessage(body: string): NotifierMessage | undefined {
  try {
    return NotifierMessage.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** The browser function's payload. Times are milliseconds. */
export const RenderRequest = z.object({
  requestId: z.string(),
  url: z.string(),
  /** Counted from when the function receives the request. */
  timeoutMs: z.int().positive(),
  /** Unix time by which the response must be complete, if earlier: the caller is gone afterwards. */
  deadlineAt: z.int().optional(),
  /** The upstream proxy's URL with credentials: never log it. Absent: direct connections. */
  upstreamUrl: z.string().optional(),
  /** For the origin of `url` only: never log them. */
  headers: z.record(z.string(), z.string()).default({}),
  /** For the host of `url` only: never log them. */
  cookies: z.record(z.string(), z.string()).default({}),
  /** A scenario has what is typed into forms: never log it. */
  ...withDefaults(camelShape({ ...withRenderJs, ...captureField, ...pictureFields }), RENDER_DEFAULTS),
});
export type RenderRequest = z.infer<typeof RenderRequest>;

/** How the function has spent its time so far. */
const phases = PhaseTimes.default({});
/** Of a request with a scenario. */
const report = ScenarioReport.optional();
/** How Chromium was started; absent if it was not. */
const processes = z.enum(['one', 'many']).optional();

/**
 * First line of the browser function's response stream: JSON and a line feed. With a page, exactly `bytes`
 * bytes of its stored form follow, and then the pictures. Fewer mean that the stream was cut off.
 */
export const RenderAnswer = z.discriminatedUnion('outcome', [
  PageHead.extend({
    outcome: z.literal('page'),
    phases,
    processes,
    report,
    captured: z.array(Captured).optional(),
    bytes: z.int().nonnegative().max(MAX_PAGE_BYTES),
    headers: ResponseHeaders.optional(),
    pictures: PictureHeads.optional(),
    /** The page follows as gzip, and `bytes` counts its compressed length. */
    encoding: z.literal('gzip').optional(),
  }),
  z.object({
    outcome: z.literal('error'),
    phases,
    processes,
    report,
    code: z.enum(errorCodes),
    message: z.string(),
    /** More fields of the error body. */
    fields: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  }),
]);
export type RenderAnswer = z.infer<typeof RenderAnswer>;
