import { LedgerLine } from '../../contract/crawls/crawl.ts';
import type { Manifest } from '../../contract/crawls/manifest.ts';
import { crawlRules } from '../../domain/crawls/crawl-rules.ts';
import type { Sighting } from '../../domain/crawls/known-urls.ts';
import { isRetried } from '../../domain/crawls/retried.ts';
import { linesIn, readManifest } from './crawl-files.ts';
import type { MergeStep } from './merge-step.ts';
import { turnTaker } from './take-turns.ts';
import { placeFound } from './place-found.ts';
import { sitemapsOf } from './read-unread.ts';

/** What an earlier crawl of the organization knows; undefined if it is gone. */
export async function earlierManifest(
  { fx, crawl }: Pick<MergeStep, 'fx' | 'crawl'>,
  id: string | undefined,
): Promise<Manifest | undefined> {
  const earlier = id === undefined ? undefined : await fx.crawls.find(id);
  if (earlier?.manifest === undefined || earlier.orgId !== crawl.orgId) return undefined;
  return readManifest(fx, earlier.manifest);
}

/** Places the URLs at which the crawl begins. False as for `placeSightings`. */
export async function placeFirst(step: MergeStep): Promise<boolean> {
  const { request, retryOf } = step.crawl;
  const rules = crawlRules(request);
  const unread: Manifest['unread'] = [];
  const onHost = (host: string, { url }: Sighting) =>
    void unread.push(...sitemapsOf(step, host, new URL(url)));
  const seeds = request.urls.map((url): Sighting => ({ url, depth: 0, via: 'seed' }));
  const isRetry = retryOf !== undefined;
  const sightings = isRetry ? await retriedSightings(step) : seeds;
  if (!(await placeFound(step, sightings, { rules, isRetry, onHost }))) return false;
  step.manifest = { ...step.manifest, unread, begun: true };
  return true;
}

/** URLs of the earlier crawl that are tried again. What else it has seen is not discovered again. */
async function retriedSightings(step: MergeStep): Promise<Sighting[]> {
  const { retryOf, retryInclude = ['failed'] } = step.crawl;
  const earlier = await earlierManifest(step, retryOf);
  if (earlier === undefined) return [];
  step.manifest = { ...step.manifest, seen: earlier.seen, sameAs: earlier.sameAs };
  const sightings: Sighting[] = [];
  for await (const line of ledgerLines(step, earlier))
    if (isRetried(line, retryInclude)) sightings.push(sightingOf(line));
  return sightings;
}

const sightingOf = ({ url, depth, via, found_on: foundOn, lastmod }: LedgerLine): Sighting => ({
  ...{ url, depth, via, foundOn, lastmod },
});

async function* ledgerLines(step: MergeStep, { ledger }: Manifest): AsyncGenerator<LedgerLine> {
  const takeTurns = turnTaker();
  for (const { key } of ledger) {
    for await (const line of linesIn(step.fx, key, LedgerLine)) {
      await takeTurns();
      yield line;
    }
  }
}

/**
 * Places the URLs that pages had led to which have not changed since an earlier crawl. False as for
 * `placeSightings`.
 */
export async function followUnchanged(step: MergeStep): Promise<boolean> {
  const { request } = step.crawl;
  const { unchanged } = step.manifest;
  const earlier = await earlierManifest(step, request.changedSince);
  const depths = new Map(unchanged.map(({ url, depth }) => [url, depth]));
  const led = new Map<string, Sighting[]>(unchanged.map(({ url }) => [url, []]));
  const lines = earlier && request.sitemaps !== 'only' ? ledgerLines(step, earlier) : [];
  for await (const { url, via, found_on: foundOn = '' } of lines) {
    const depth = depths.get(foundOn);
    if (via !== 'link' && via !== 'canonical') continue;
    if (depth !== undefined)
      led.get(foundOn)?.push({ url, via, foundOn, depth: depth + Number(via === 'link') });
  }
  const unread: Manifest['unread'] = [];
  const onHost = (host: string, { url }: Sighting) =>
    void unread.push(...sitemapsOf(step, host, new URL(url)));
  const options = { rules: crawlRules(request), pages: unchanged.map(({ url }) => url), onHost };
  if (!(await placeFound(step, [...led.values()].flat(), options))) return false;
  step.manifest = { ...step.manifest, unchanged: [], unread: [...step.manifest.unread, ...unread] };
  return true;
}
