import { comparedIn } from '../../../contract/scrape/change.ts';
import { howOf } from '../../../contract/scrape/mode.ts';
import type { ScrapeRequest } from '../../../contract/scrape/scrape-request.ts';
import { type CacheKey, cacheKey } from '../cache/cache-key.ts';

/** Fields of what comes back beside the comparison. */
const BESIDE = {
  ...{ formats: undefined, screenshot: undefined, pdf: undefined, capture: undefined },
  ...{ extractSchema: undefined, extractPrompt: undefined },
};

const NO_TEXT = { scope: undefined, includeSelectors: undefined, excludeSelectors: undefined };

/** Under which what a request compares is kept: its tag and what it reads, in any format and by any rung. */
export function changeKey(request: ScrapeRequest, orgId: string): CacheKey {
  const { change, mode, scope = 'auto', extractRules } = request;
  const of = comparedIn(request);
  const read = of === 'extract' ? { ...NO_TEXT, extractRules } : { scope, extractRules: undefined };
  const compared = { format: 'change', change: { of, tag: change?.tag } } as const;
  return cacheKey({ ...request, ...(mode && howOf('plain')), ...BESIDE, ...read, ...compared }, { orgId });
}
