import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { VerdictKind } from '../scrape/verdict.ts';
import { Via } from './crawl.ts';

/** A line of a wave's requests, in the form that workers read; `request` fields are the batch's defaults. */
export const WaveLine = z.object({
  url: z.string(),
  crawl: z.object({
    /** The place in the order of discovery, from 0. */
    place: z.int(),
    depth: z.int(),
    via: Via,
    found_on: z.string().optional(),
    lastmod: z.string().optional(),
    disallowed: z.literal(true).optional(),
    /** How many have failed, and when the next one may begin. */
    attempts: z.int().optional(),
    due: z.iso.datetime().optional(),
    /** Milliseconds between two requests to its host: the same for all lines of a host. */
    delay: z.int().optional(),
    /** It was requested, and led to a URL that waited then: see `ledLines`. */
    led: z
      .object({ to: z.string(), target_status: z.int().optional(), verdict: VerdictKind.optional() })
      .optional(),
    /** Of an earlier crawl's page: it is requested only if it has changed. */
    since: z.object({ etag: z.string().optional(), last_modified: z.string().optional() }).optional(),
  }),
});
export type WaveLine = z.infer<typeof WaveLine>;

/**
 * What a worker found at a URL: a line of JSON in
 * `results/<org>/<batch>/<chunk>-<token>-found.ndjson.gz`, beside the results of the same turn.
 */
export const Found = z.object({
  /** Its number in the crawl. */
  line: z.int(),
  /**
   * `retry`: it waits for its next attempt, in a later wave. `robots`: it redirects to `url`, which
   * robots.txt disallows.
   */
  outcome: z.enum(['page', 'failed', 'unchanged', 'retry', 'robots']),
  /** What it cost, and how it was counted. */
  credits: z.int(),
  counter: z.string(),
  target_status: z.int().optional(),
  verdict: VerdictKind.optional(),
  error_code: z.enum(errorCodes).optional(),
  /** After redirects, if it is another one. */
  url: z.string().optional(),
  canonical: z.string().optional(),
  /** Of the bytes as they came: 16 hexadecimal digits. */
  hash: z.string().optional(),
  /** The header `Content-Usage` or `Content-Signal`. */
  content_usage: z.string().optional(),
  etag: z.string().optional(),
  last_modified: z.string().optional(),
  fetched_at: z.iso.datetime(),
  /** Of `retry`. */
  attempts: z.int().optional(),
  due: z.iso.datetime().optional(),
  /** Absolute, without fragments, in document order, each once. */
  links: z.array(z.string()).optional(),
});
export type Found = z.infer<typeof Found>;
