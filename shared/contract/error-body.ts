import { z } from 'zod';
import { type AppError, catalogue, errorCodes } from '../errors.ts';

/** The body of every error: flat, and it only ever grows. */
export const ErrorBody = z.object({
  error: z.string().describe('What kind of error this is, in words that do not change.'),
  message: z.string().describe('What went wrong and what to do about it.'),
  code: z.enum(errorCodes).describe('The error, for programs.'),
  request_id: z.string().describe('Quote this when asking for help.'),
  param: z
    .string()
    .optional()
    .describe('The request field at fault, with its path: `headers`, `items[2].name`.'),
  errors: z
    .array(z.object({ param: z.string().optional(), message: z.string() }))
    .optional()
    .describe('All faults of the request, where it has several. The first is also `message` and `param`.'),
  retry_after: z.int().optional().describe('Seconds to wait; the same as the Retry-After header.'),
  status: z.string().optional().describe('The state of the job.'),
  credits_required: z.int().optional(),
  credits_remaining: z.int().optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;

const FAILED_JOB = { status: 422, title: 'Unprocessable Entity' };

/** The status that an error is answered with, and its reason phrase. */
export function statusOf({ code, isOfJob }: AppError): { status: number; title: string } {
  return isOfJob ? FAILED_JOB : catalogue[code];
}

/** 4xx explain themselves, our own 5xx say no more than the catalogue does. */
export function errorBodyOf(error: AppError, requestId: string): ErrorBody {
  const { status, title } = statusOf(error);
  return {
    error: title,
    message: status < 500 || status === 503 ? error.message : catalogue[error.code].message,
    code: error.code,
    request_id: requestId,
    ...(error.retryAfter === undefined ? {} : { retry_after: error.retryAfter }),
    ...error.fields,
    ...(error.errors.length > 0 && { errors: [...error.errors] }),
  };
}
