import type { LedgerLine } from '../../contract/crawls/crawl.ts';
import type { RetryInclude } from '../../contract/crawls/crawl-request.ts';

type Ended = Pick<LedgerLine, 'outcome' | 'error_code' | 'verdict'>;

/** Outcomes that a retry may request again. */
export const RETRIED_OUTCOMES = ['failed', 'cancelled', 'deadline', 'budget'] as const;

/** Whether a retry requests a URL of the ledger again, as retries of batches do. */
export function isRetried({ outcome, error_code: code, verdict }: Ended, include: RetryInclude): boolean {
  if (outcome === 'cancelled' || outcome === 'deadline' || outcome === 'budget')
    return include.includes('failed');
  if (outcome !== 'failed') return false;
  if (code !== undefined) return include.includes('failed');
  return include.includes(verdict === 'bot_wall' ? 'wall' : 'target_status');
}
