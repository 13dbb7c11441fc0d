import type { EndReason } from '../../../contract/accounts/account.ts';
import type { PageHead } from '../../../contract/scrape/page.ts';
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
  'host_unavailable',
  'attempts_exhausted',
  'response_too_large',
  'not_convertible',
  'needs_ocr',
  'extraction_invalid',
];

const SUCCESSES: readonly EndReason[] = ['page', 'cached', 'duplicate'];

/** Whether a scrape brought its page: new, kept, or the same as another URL of its crawl has. */
export const isSuccess = (reason: EndReason): boolean => SUCCESSES.includes(reason);

/** Of a delivered page. */
export function reasonOfPage(
  charged: number,
  { verdict, cache }: Pick<PageHead, 'verdict' | 'cache'>,
): EndReason {
  if (cache === 'hit') return 'cached';
  if (verdict?.kind === 'bot_wall') return 'wall';
  return charged > 0 ? 'page' : 'target_status';
}

/** Of a scrape that ended in an error. */
export function reasonOfError(code: ErrorCode): EndReason {
  const { status } = catalogue[code];
  return (status < 500 && !GIVEN_UP.includes(code)) || status === REFUSED ? 'refused' : 'no_page';
}
