import { Readable } from 'node:stream';
import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { WaveLine } from '../../contract/crawls/wave.ts';
import { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { cost } from '../../domain/accounts/credits/charge.ts';
import { limitsOf } from '../../domain/accounts/credits/plan.ts';
import {
  chooseLines,
  chunksOf,
  distanceAt,
  lanesAtHost,
  mostAtHost,
  pauseAfter,
  type WaveChunk,
  waveSize,
} from '../../domain/crawls/next-wave.ts';
import { KNOWN, knownUrls } from '../../domain/crawls/known-urls.ts';
import { placesOf } from '../../domain/crawls/place-url.ts';
import { siteIdentity } from '../../domain/crawls/site-identity.ts';
import { lookUp } from '../../domain/crawls/sorted-table.ts';
import { tableIn } from './crawl-files.ts';
import { endWaiting } from './end-waiting.ts';
import { type MergeStep, renewLease } from './merge-step.ts';
import { currentPages } from './current-pages.ts';
import { openWindow, shorten } from './wave-window.ts';

/**
 * Takes the lines of the next wave from the queue and stores them. Undefined if no line is left of the first
 * ones, which does not mean that the queue is empty.
 */
export async function chooseWave(step: MergeStep): Promise<Crawl['wave']> {
  await step.queue.close();
  if (step.counts.queued === 0) return undefined;
  const most = Math.min(waveSize(step.counts, step.manifest), affordable(step));
  if (most === 0) {
    step.rest = 'budget';
    return undefined;
  }
  const { concurrency, delay } = step.crawl.request;
  const hosts = new Map(step.manifest.hosts.map((host) => [host.host, host]));
  const distance = (host: string) => distanceAt(delay, hosts.get(host));
  const now = step.fx.now();
  const pausedUntil = (host: string) => pauseAfter(now, hosts.get(host));
  const mostAt = (host: string) => mostAtHost(distance(host), concurrency);
  const window = await openWindow(step, { pausedUntil, mostAt });
  const { open, led } = await ledLines(step, await withoutTraps(step, window.lines));
  const lines = await currentPages(step, open);
  const limits = { most, mostAt, pausedUntil, due: window.due };
  const first = chooseLines(lines, limits);
  const chosen = first.length > 0 ? first : chooseLines(led, limits);
  await shorten(step, window, [...lines, ...led], chosen);
  if (chosen.length === 0) return undefined;
  const lanes = lanesAtHost(chosen, { slots: await slotsOf(step), concurrency });
  // With a distance between requests, only one chunk of a host can run.
  const chunks = chunksOf(chosen, (host) => (distance(host) > 0 ? 1 : lanes));
  return storeWave(step, chunks, distance);
}

/** Requests that the organization may have in progress. They change no order. */
async function slotsOf({ fx, crawl }: MergeStep): Promise<number> {
  const organization = await fx.organizations.find(crawl.orgId);
  return organization ? limitsOf(organization).concurrency : 1;
}

/** Lines that the rest of the credits pays for. */
function affordable({ crawl, counts }: MergeStep): number {
  const { maxCredits, request } = crawl.request;
  if (maxCredits === undefined) return Infinity;
  const { data } = ScrapeRequest.safeParse({ url: 'https://example.com/', ...request });
  return Math.max(0, Math.floor((maxCredits - counts.credits) / (data ? cost(data) : 1)));
}

/** Places may have turned out to be traps since their URLs were queued. */
async function withoutTraps(step: MergeStep, window: readonly WaveLine[]): Promise<WaveLine[]> {
  const { fx, manifest } = step;
  if (manifest.fruitless.length === 0) return [...window];
  const placed = window.map((line) => ({ line, places: placesOf(new URL(line.url)) }));
  const keys = placed.flatMap(({ places }) => places.map(({ key }) => key));
  const counts = await lookUp(tableIn(fx, manifest.fruitless), keys);
  const kept: WaveLine[] = [];
  for (const { line, places } of placed) {
    if (places.some(({ key, most }) => (counts.get(key) ?? 0) > most)) await endWaiting(step, line, 'trap');
    else kept.push(line);
  }
  return kept;
}

/**
 * Ends lines that led to a URL which is a page now: they are its duplicates. `led`: lines whose URL still
 * waits. They are requested again only if nothing else can be.
 */
async function ledLines(
  step: MergeStep,
  lines: readonly WaveLine[],
): Promise<{ open: WaveLine[]; led: WaveLine[] }> {
  const { fx, crawl, manifest } = step;
  const urls = new Map(lines.flatMap((line) => (line.crawl.led ? [[line, new URL(line.crawl.led.to)]] : [])));
  const identity = siteIdentity(crawl.request.query, manifest.sameAs);
  const keys = [...urls.values()].flatMap((url) => [identity.exactOf(url), ...identity.keysOf(url)]);
  const seen = await lookUp(tableIn(fx, keys.length > 0 ? manifest.seen : []), keys);
  const { exactStateOf, stateOf } = knownUrls(identity, seen, new Map());
  const open: WaveLine[] = [];
  const led: WaveLine[] = [];
  for (const line of lines) {
    const url = urls.get(line);
    const state = url && (exactStateOf(url) ?? stateOf(url));
    if (state === KNOWN.page) await endLed(step, line);
    else (state === KNOWN.waits ? led : open).push(line);
  }
  return { open, led };
}

/** It was requested once, and given back. */
async function endLed(step: MergeStep, line: WaveLine): Promise<void> {
  const { to: same_as, ...came } = line.crawl.led ?? {};
  step.counts.asked += 1;
  await endWaiting(step, line, 'duplicate', { ...came, ...(same_as && { same_as }) });
}

async function storeWave(
  step: MergeStep,
  chunks: readonly WaveChunk[],
  distance: (host: string) => number,
): Promise<Crawl['wave']> {
  await renewLease(step);
  const key = step.keyOf('wave');
  const texts = chunks.map(({ host, lines }) => {
    const delay = distance(host);
    const polite = lines.map(({ url, crawl }) => ({ url, crawl: { ...crawl, ...(delay > 0 && { delay }) } }));
    return Buffer.from(polite.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  const version = await step.fx.uploads.write(key, Readable.from(texts));
  const sizes = chunks.map(({ lines }) => lines.length);
  const firstLine = 1 + step.manifest.waves.reduce((sum, { lines }) => sum + lines, 0);
  step.manifest = { ...step.manifest, wave: { key, version, sizes } };
  return { batchId: step.fx.newId(), firstLine, lines: sizes.reduce((sum, size) => sum + size, 0) };
}
