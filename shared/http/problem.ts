import type { ErrorBody } from '../contract/error-body.ts';
import { type AppError, catalogue } from '../errors.ts';
import { json, type JsonReply } from './reply.ts';

const FAILED_JOB = { status: 422, title: 'Unprocessable Entity' };

/** An error as its answer: 4xx explain themselves, our own 5xx say no more than the catalogue does. */
export function problem(error: AppError, requestId: string): JsonReply {
  const { status, title } = error.isOfJob ? FAILED_JOB : catalogue[error.code];
  const body = {
    error: title,
    message: status < 500 || status === 503 ? error.message : catalogue[error.code].message,
    code: error.code,
    request_id: requestId,
    ...(error.retryAfter === undefined ? {} : { retry_after: error.retryAfter }),
    ...error.fields,
  } satisfies ErrorBody;
  return json(status, body, {
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
    ...(error.code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...error.headers,
  });
}
