import type { EndReason } from '../../../contract/accounts/account.ts';
import type { PageVerdict } from '../../../contract/scrape/verdict.ts';
import { catalogue, type ErrorCode } from '../../../errors.ts';

/** The reason for a response's `X-Credits-Used`: `free` for a call that costs nothing. */
export type CreditsReason = EndReason | 'free';

/** A 5xx response sent before any work was done. */
const REFUSED = 503;
/** Errors of a job that had begun. */
const GIVEN_UP: readonly ErrorCode[] = [
  'cancelled',
  'scenario_failed',
  'deadline_exceeded',
  'attempts_exhausted',
  'response_too_large',
  'not_convertible',
];

/** Of a delivered page. */
export function reasonOfPage(charged: number, verdict: PageVerdict | undefined): EndReason {
  if (verdict?.kind === 'bot_wall') return 'wall';
  return charged > 0 ? 'page' : 'target_status';
}

/** Of a scrape that ended in an error. */
export function reasonOfError(code: ErrorCode): EndReason {
  const { status } = catalogue[code];
  return (status < 500 && !GIVEN_UP.includes(code)) || status === REFUSED ? 'refused' : 'no_page';
}
