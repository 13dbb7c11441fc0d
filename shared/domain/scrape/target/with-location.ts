import type { TimeoutPhase } from '../../../contract/error-body.ts';
import { AppError } from '../../../errors.ts';
import { refusalOf } from './target-url.ts';
import { urlNotAllowed, redirectNotAllowed } from './url-refusal.ts';

export type RequestProgress = { url: string; isRedirected: boolean; phase: TimeoutPhase };

/**
 * Adds where a fault happened: the reason of a refusal, the phase of a timeout. A URL that may be scraped as
 * such is refused because its name resolves to a private address.
 */
export function withLocation(fault: unknown, { url, isRedirected, phase }: RequestProgress): unknown {
  if (!(fault instanceof AppError) || 'phase' in fault.fields) return fault;
  const { reason } = fault.fields;
  // A refusal with a reason of its own, such as an ad host, keeps its words.
  if (fault.code === 'url_not_allowed' && isRedirected && reason !== 'redirect' && reason !== 'robots')
    return redirectNotAllowed(url, reason === undefined ? undefined : fault.message);
  if (reason !== undefined) return fault;
  if (fault.code === 'timeout') return new AppError('timeout', { cause: fault.cause, fields: { phase } });
  if (fault.code !== 'url_not_allowed') return fault;
  const target = URL.parse(url);
  return urlNotAllowed((target && refusalOf(target, { allow: [] })) ?? 'private', url);
}
