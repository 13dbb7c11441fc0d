import { errorBodyOf, statusOf } from '../contract/error-body.ts';
import type { AppError } from '../errors.ts';
import { json, type JsonReply } from './reply.ts';

/** An error as its answer. */
export function problem(error: AppError, requestId: string): JsonReply {
  return json(statusOf(error).status, errorBodyOf(error, requestId), {
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
    ...(error.code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...error.headers,
  });
}
