import { notSupported } from '../compat/not-supported.ts';
import { compatProblem } from '../compat/problem.ts';
import { errorBodyOf, type Reported, statusOf } from '../contract/error-body.ts';
import { type CreditsReason, reasonOfError } from '../domain/accounts/credits/credits-reason.ts';
import { AppError } from '../errors.ts';
import type { Call } from './call.ts';
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

const ROOT = '/v2/';
type Sent = Pick<Call, 'path' | 'sentPath' | 'mount'>;

const pathOf = ({ sentPath, mount }: Sent) => sentPath.slice(mount.length);

/** Whether a call is for `/v2`, known or not. */
export const isCompat = (call: Sent): boolean => pathOf(call).startsWith(ROOT);

/** An error with the headers that it always has, and the status and body of `/v2`. */
export function compatError(error: AppError, reported: Reported, call: Sent): JsonReply {
  const isUnknown = error.code === 'method_not_allowed' || !call.path.startsWith(ROOT);
  const known = isUnknown
    ? new AppError('method_not_allowed', { message: notSupported(pathOf(call)) })
    : error;
  const { headers } = problem(known, reported);
  const { status, body } = compatProblem(known);
  return { status, headers, body: JSON.stringify(body) };
}
