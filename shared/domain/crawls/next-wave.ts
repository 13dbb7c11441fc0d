import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { CrawlHost, Manifest } from '../../contract/crawls/manifest.ts';
import type { Found, WaveLine } from '../../contract/crawls/wave.ts';
import { MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { hostOf } from './crawl-rules.ts';
import { MAX_CHUNK_LINES } from './wave.ts';

const LEAST_LINES = 100;
/** Of a wave to the waves before, whose pages say how many links to expect. */
const GROWTH = 4;
const MOST_LINES = 20_000;
/** Fewer lines are not divided: a turn for them would make as many writes. */
const SMALL_CHUNK = 5;
/** Beside one for each host, of which there are 2,000. Ids allow 4,096. */
const MOST_CHUNKS = 2_000;
/** What the links of a wave may weigh that a merge has in memory. */
const MOST_LINKS = 500_000;
/** Links that repeat another one of their wave, as in a menu, weigh as one in so many. */
const REPEATS = 8;
const MAX_CRAWL_DELAY_MS = 30 * SECOND_MS;

/** What links of pages weigh in the memory of a merge, in which each of the `distinct` ones is kept once. */
export function linkWeight(pages: Iterable<Pick<Found, 'links'>>, distinct: number): number {
  let all = 0;
  for (const { links = [] } of pages) all += links.length;
  return distinct + Math.ceil((all - distinct) / REPEATS);
}

/** Lines of a wave, at most: by numbers alone that are the same in each run. */
export function waveSize(
  { asked }: Pick<Crawl, 'asked'>,
  { links, linked }: Pick<Manifest, 'links' | 'linked'>,
): number {
  const byLinks = linked === 0 ? MOST_LINES : Math.floor(MOST_LINKS / Math.max(1, links / linked));
  return Math.max(1, Math.min(Math.max(LEAST_LINES, GROWTH * asked), MOST_LINES, byLinks));
}

/** Milliseconds between the starts of two requests. */
export function distanceAt(delay: number, host: Pick<CrawlHost, 'crawl_delay'> | undefined): number {
  return Math.max(delay, Math.min((host?.crawl_delay ?? 0) * SECOND_MS, MAX_CRAWL_DELAY_MS));
}

/** Lines at one host that a wave may have: a minute's, or without a delay a chunk for each lane. */
export function mostAtHost(distanceMs: number, concurrency: number): number {
  if (distanceMs === 0) return concurrency * MAX_CHUNK_LINES;
  return Math.max(1, Math.floor(MINUTE_MS / distanceMs));
}

/** When a pause of a host ends, unless that is over: the text that its `hosts` entry has. */
export function pauseAfter(
  now: Date,
  { paused_until: until }: Pick<CrawlHost, 'paused_until'> = {},
): string | undefined {
  return until !== undefined && new Date(until) > now ? until : undefined;
}

export type PausedUntil = (host: string) => string | undefined;

/** When the first pause ends, if all of these hosts are in one. */
export function firstDue(hosts: ReadonlySet<string>, pausedUntil: PausedUntil): string | undefined {
  const pauses = [...hosts].map(pausedUntil);
  return pauses.includes(undefined) ? undefined : pauses.sort()[0];
}

type Limits = {
  most: number;
  mostAt: (host: string) => number;
  pausedUntil: PausedUntil;
  /** Of the whole queue: see `firstDue`. */
  due: string | undefined;
};

/**
 * The first lines, as many as `most` in all and `mostAt` at each host. Paused hosts are passed over. If all
 * are paused, lines are chosen of the host that may be requested first, and wait until then.
 */
export function chooseLines(
  lines: readonly WaveLine[],
  { most, mostAt, pausedUntil, due }: Limits,
): WaveLine[] {
  const atHosts = new Map<string, number>();
  const chosen: WaveLine[] = [];
  for (const line of lines) {
    if (chosen.length >= most) break;
    const host = hostOf(new URL(line.url));
    const count = atHosts.get(host) ?? 0;
    if (pausedUntil(host) !== due || count >= mostAt(host)) continue;
    atHosts.set(host, count + 1);
    chosen.push(due === undefined ? line : { ...line, crawl: { ...line.crawl, due } });
  }
  return chosen;
}

/** How many chunks of a host run at once: more would be shorter turns, and wait for a slot. */
export function lanesAtHost(
  chosen: readonly WaveLine[],
  { slots, concurrency }: { slots: number; concurrency: number },
): number {
  const hosts = new Set(chosen.map(({ url }) => hostOf(new URL(url))));
  return Math.min(concurrency, Math.ceil(slots / Math.max(1, hosts.size)));
}

export type WaveChunk = { host: string; lines: WaveLine[] };

/** Portions of one host each, in turns, so that as many hosts as possible are requested side by side. */
export function chunksOf(chosen: readonly WaveLine[], atOnce: (host: string) => number): WaveChunk[] {
  const byHost = Map.groupBy(chosen, ({ url }) => hostOf(new URL(url)));
  const least = Math.ceil(chosen.length / MOST_CHUNKS);
  const portions = [...byHost].map(([host, lines]) => {
    const most = Math.min(atOnce(host), Math.ceil(lines.length / Math.max(least, SMALL_CHUNK)));
    const size = Math.min(Math.ceil(lines.length / most), MAX_CHUNK_LINES);
    const count = Math.ceil(lines.length / size);
    return Array.from({ length: count }, (_, n) => ({ host, lines: lines.slice(n * size, (n + 1) * size) }));
  });
  const rounds = Math.max(0, ...portions.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => portions.flatMap((each) => each[round] ?? [])).flat();
}
