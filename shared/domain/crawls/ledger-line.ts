import type { LedgerLine, Outcome } from '../../contract/crawls/crawl.ts';
import { type DecidedLine, errorOf } from './ended-lines.ts';
import type { Sighting } from './known-urls.ts';

/** Of a URL that is not requested. */
export function ledgerLine({ url, depth, via, foundOn, lastmod }: Sighting, outcome: Outcome): LedgerLine {
  return { url, outcome, depth, via, ...(foundOn && { found_on: foundOn }), ...(lastmod && { lastmod }) };
}

/** Of a line of a wave, without `same_as`. */
export function ledgerLineOf({ asked, found, outcome, ...line }: DecidedLine): LedgerLine {
  const { depth, via, found_on, lastmod, disallowed } = asked.crawl;
  const code = outcome === 'failed' ? errorOf({ asked, found, ...line }) : undefined;
  return {
    url: asked.url,
    outcome,
    depth,
    via,
    ...(found_on && { found_on }),
    ...(lastmod && { lastmod }),
    ...(found?.target_status && { target_status: found.target_status }),
    ...(found?.verdict && { verdict: found.verdict }),
    ...(code && { error_code: code }),
    ...(disallowed && { disallowed }),
  };
}
