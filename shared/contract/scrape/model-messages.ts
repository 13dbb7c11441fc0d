import { z } from 'zod';
import { errorCodes } from '../../errors.ts';
import { Evidence, ModelTokens } from './extraction.ts';

const Values = z.record(z.string(), z.unknown());

/** The model function's payload: never log it. */
export const ModelRequest = z.object({
  requestId: z.string(),
  /** Unix time in milliseconds by which the answer must be complete. */
  deadlineAt: z.int(),
  schema: Values,
  prompt: z.string().optional(),
  markdown: z.string(),
  text: z.string(),
  found: Values.optional(),
  /** The page is longer. */
  truncated: z.literal(true).optional(),
});
export type ModelRequest = z.infer<typeof ModelRequest>;

const tokens = ModelTokens;

/** What the function answers with. */
export const ModelAnswer = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('values'),
    values: Values,
    evidence: z.array(Evidence),
    truncated: z.literal(true).optional(),
    tokens,
  }),
  z.object({
    outcome: z.literal('error'),
    code: z.enum(errorCodes),
    message: z.string(),
    /** More fields of the error body. */
    fields: z.record(z.string(), z.union([z.string(), z.number()])),
    retryAfter: z.int().optional(),
    tokens,
  }),
]);
export type ModelAnswer = z.infer<typeof ModelAnswer>;
