import type { Organization, SlotsInUse } from '../../contract/accounts/account.ts';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import { CrawlHost } from '../../contract/crawls/manifest.ts';
import type { CrawlState, CrawlView, SubmittedCrawl } from '../../contract/crawls/crawl-view.ts';
import { countsOf } from '../../domain/batches/state.ts';
import { crawlView, seedsNotIncluded, type WaveState } from '../../domain/crawls/crawl-view.ts';
import { pauseAfter } from '../../domain/crawls/next-wave.ts';
import type { Effects } from '../../ports/effects.ts';
import { summarize, type ShowNeeds } from '../batches/show-batch.ts';
import { type ManifestNeeds, readManifest } from './read-manifest.ts';

export type ShowCrawlNeeds = ShowNeeds & { batches: Pick<Effects['batches'], 'find'> };

/** Crawls with the counts of this moment. */
export async function showCrawls(
  fx: ShowCrawlNeeds,
  organization: Organization,
  crawls: readonly Crawl[],
): Promise<CrawlView[]> {
  const { slots } = await fx.usage.read(organization, fx.now());
  return Promise.all(
    crawls.map(async (crawl) => crawlView(fx.apiUrl, crawl, await waveState(fx, crawl, slots.inUse))),
  );
}

/** The same with what its submit says. */
export async function showSubmitted(
  fx: ShowCrawlNeeds,
  organization: Organization,
  crawl: Crawl,
): Promise<SubmittedCrawl> {
  const { slots } = await fx.usage.read(organization, fx.now());
  const view = crawlView(fx.apiUrl, crawl, await waveState(fx, crawl, slots.inUse));
  const left = seedsNotIncluded(crawl);
  return { ...view, ...(left.length > 0 && { not_included: left }) };
}

/** The same with the hosts that the last merge knew. */
export async function showCrawl(
  fx: ShowCrawlNeeds & ManifestNeeds,
  organization: Organization,
  crawl: Crawl,
): Promise<CrawlState> {
  const [view, manifest] = await Promise.all([
    showSubmitted(fx, organization, crawl),
    readManifest(fx, crawl),
  ]);
  const now = fx.now();
  // Without what only merges need, and pauses that are over.
  const hosts = (manifest?.hosts ?? []).map((host) =>
    CrawlHost.parse({ ...host, paused_until: pauseAfter(now, host) }),
  );
  return { ...view, hosts };
}

/** Undefined without a wave, or before it has been made. */
async function waveState(
  fx: ShowCrawlNeeds,
  { wave }: Crawl,
  slots: SlotsInUse,
): Promise<WaveState | undefined> {
  const batch = wave && (await fx.batches.find(wave.batchId));
  if (batch === undefined) return undefined;
  const summary = await summarize(fx, batch);
  const { completed, failed, invalid, running } = countsOf(batch, summary, slots);
  return { ended: completed + failed + invalid, running, credits: summary.credits };
}
