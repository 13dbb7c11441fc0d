import { gzipSync } from 'node:zlib';
import type { Crawl, LedgerLine, OutcomeCounts } from '../../../shared/contract/crawls/crawl.ts';
import type { CrawlHost } from '../../../shared/contract/crawls/manifest.ts';
import type { World } from './in-memory-world.ts';

type Kept = {
  lines: readonly LedgerLine[];
  hosts?: readonly CrawlHost[];
  /** URLs that wait. */
  queued?: number;
};

/** Gives a submitted crawl the ledger and the hosts that merges would have written. */
export async function keepLedger(
  { crawls, results }: Pick<World, 'crawls' | 'results'>,
  id: string,
  { lines, hosts = [], queued = 0 }: Kept,
  changes: Partial<Crawl> = {},
): Promise<void> {
  const crawl = await crawls.find(id);
  if (!crawl) throw new Error('There is no such crawl.');
  const half = Math.ceil(lines.length / 2);
  const ledger = await Promise.all(
    [lines.slice(0, half), lines.slice(half)].map(async (part, n) => {
      const key = `results/${crawl.orgId}/${id}/ledger-1-1-${n}.ndjson.gz`;
      await results.put(key, gzipSync(part.map((line) => `${JSON.stringify(line)}\n`).join('')));
      return { key, lines: part.length, outcomes: countsOf(part) };
    }),
  );
  const manifest = `results/${crawl.orgId}/${id}/manifest-1-1.json.gz`;
  await results.put(manifest, gzipSync(JSON.stringify({ ledger, hosts, waves: [] })));
  const revision = crawl.revision + 1;
  await crawls.replace(crawl, {
    ...crawl,
    manifest,
    outcomes: countsOf(lines),
    queued,
    ...changes,
    revision,
  });
}

function countsOf(lines: readonly LedgerLine[]): OutcomeCounts {
  const counts: OutcomeCounts = {};
  for (const { outcome } of lines) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
