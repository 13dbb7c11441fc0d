import { z } from 'zod';
import { errorCodes } from '../errors.ts';

/** The body of every error: flat, and it only ever grows. */
export const ErrorBody = z.object({
  error: z.string().describe('What kind of error this is, in words that do not change.'),
  message: z.string().describe('What went wrong and what to do about it.'),
  code: z.enum(errorCodes).describe('The error, for programs.'),
  request_id: z.string().describe('Quote this when asking for help.'),
  param: z.string().optional().describe('The request field at fault.'),
  retry_after: z.int().optional().describe('Seconds to wait; the same as the Retry-After header.'),
  status: z.string().optional().describe('The state of the job.'),
  credits_required: z.int().optional(),
  credits_remaining: z.int().optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
