import { errorBodyOf, type Reported, statusOf } from '../contract/error-body.ts';
import { type AppError, catalogue } from '../errors.ts';
import { CREDITS_REASON, type CreditsReason } from './credits-reason.ts';
import { json, type JsonReply } from './reply.ts';

/** An error as an HTTP response. */
export function problem(error: AppError, reported: Reported): JsonReply {
  return json(statusOf(error).status, errorBodyOf(error, reported), {
    [CREDITS_REASON]: reasonOf(error),
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
    ...(error.code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...error.headers,
  });
}

/** A 5xx response sent before any work was done. */
const REFUSED = 503;

function reasonOf({ code, isOfJob }: AppError): CreditsReason {
  const { status } = catalogue[code];
  if (isOfJob) return 'free';
  return (status < 500 && code !== 'response_too_large') || status === REFUSED ? 'refused' : 'no_page';
}
