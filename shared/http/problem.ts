import { errorBodyOf, type Reported, statusOf } from '../contract/error-body.ts';
import { type CreditsReason, reasonOfError } from '../domain/accounts/credits/credits-reason.ts';
import type { AppError } from '../errors.ts';
import { json, type JsonReply } from './reply.ts';

export const CREDITS_REASON = 'X-Credits-Reason';

export function problem(error: AppError, reported: Reported): JsonReply {
  return json(statusOf(error).status, errorBodyOf(error, reported), {
    [CREDITS_REASON]: (error.isOfJob ? 'free' : reasonOfError(error.code)) satisfies CreditsReason,
    ...(error.retryAfter === undefined ? {} : { 'Retry-After': String(error.retryAfter) }),
    ...(error.code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...targetHeaders(error.fields),
    ...error.headers,
  });
}

/** The target's status, URL and verdict, on the error of a scenario as on a page. */
function targetHeaders({
  target_status: status,
  target_url: url,
  verdict,
  verdict_by: by,
  mode_tried: modeTried,
}: AppError['fields']) {
  return {
    ...(status !== undefined && { 'X-Target-Status': String(status) }),
    ...(url !== undefined && { 'X-Target-Url': String(url) }),
    ...(modeTried !== undefined && { 'X-Mode-Tried': String(modeTried) }),
    ...(verdict !== undefined && { 'X-Page-Verdict': `${verdict}${by ? `; by=${by}` : ''}` }),
  };
}
