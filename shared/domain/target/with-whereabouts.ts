import type { TimeoutPhase } from '../../contract/error-body.ts';
import { AppError } from '../../errors.ts';
import { urlNotAllowed, redirectNotAllowed } from './url-refusal.ts';

export type Reached = { url: string; isRedirected: boolean; phase: TimeoutPhase };

/**
 * Adds where a fault happened: the reason of a refusal, the phase of a timeout. The caller's own URL was
 * vetted before, so if it is refused its name resolves to a private address.
 */
export function withWhereabouts(fault: unknown, { url, isRedirected, phase }: Reached): unknown {
  if (!(fault instanceof AppError) || 'reason' in fault.fields || 'phase' in fault.fields) return fault;
  if (fault.code === 'timeout') return new AppError('timeout', { cause: fault.cause, fields: { phase } });
  if (fault.code !== 'url_not_allowed') return fault;
  return isRedirected ? redirectNotAllowed(url) : urlNotAllowed('private', url);
}
