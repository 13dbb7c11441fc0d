import type { Crawl, LedgerLine } from '../../shared/contract/crawls/crawl.ts';
import { compatCode } from '../../shared/compat/problem.ts';
import { catalogue } from '../../shared/errors.ts';
import { ledgerLines } from '../../shared/use-cases/crawls/read-ledger.ts';
import { type ManifestNeeds, readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';

/** Of one response, which is not paged. */
const MAX_LINES = 10_000;

/** The URLs of a crawl that failed, and what robots.txt disallows. */
export async function crawlErrors(fx: ManifestNeeds, crawl: Crawl) {
  const manifest = await readManifest(fx, crawl);
  const lines: LedgerLine[] = [];
  if (manifest)
    for await (const line of ledgerLines(fx, manifest, ['failed', 'robots'])) {
      lines.push(line);
      if (lines.length === MAX_LINES) break;
    }
  const timestamp = (crawl.completedAt ?? crawl.createdAt).toISOString();
  const errors = lines
    .filter(({ outcome }) => outcome === 'failed')
    // Not the id of a document, which has the number of its line.
    .map((line, at) => ({ id: `${crawl.id}-error-${at + 1}`, timestamp, url: line.url, ...reasonOf(line) }));
  const robotsBlocked = lines.filter(({ outcome }) => outcome === 'robots').map(({ url }) => url);
  return { errors, robotsBlocked };
}

function reasonOf({ error_code: code, verdict, target_status: status }: LedgerLine) {
  if (code !== undefined) return { code: compatCode(code), error: catalogue[code].message };
  const wall = verdict === undefined || verdict === 'page' ? '' : ` with a ${verdict.replaceAll('_', ' ')}`;
  return {
    code: 'SCRAPE_SITE_ERROR',
    error: `The target answered${wall} with status ${status ?? 'unknown'}.`,
  };
}
