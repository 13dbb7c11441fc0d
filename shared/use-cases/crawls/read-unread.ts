import type { CrawlHost, Manifest } from '../../contract/crawls/manifest.ts';
import type { MapSource } from '../../contract/crawls/map.ts';
import { crawlRules, hostOf } from '../../domain/crawls/crawl-rules.ts';
import type { Sighting } from '../../domain/crawls/known-urls.ts';
import { distanceAt } from '../../domain/crawls/next-wave.ts';
import { bareHost } from '../../domain/crawls/scope.ts';
import { AppError } from '../../errors.ts';
import { addMs } from '../../time/units.ts';
import type { Judged } from '../scrape/judged-page.ts';
import { fetchFile } from './fetch-file.ts';
import { type MergeStep, renewLease } from './merge-step.ts';
import { placeFound } from './place-found.ts';
import { noteRequest } from './note-request.ts';
import { type FileTask, faultOf, readFile } from './read-files.ts';
import { contextOf, knownHosts, READ_MS } from './read-hosts.ts';
import type { FileReader } from './site.ts';

type Unread = Manifest['unread'][number];

/** Files of a crawl. */
const MAX_FILES = 1_000;
/** Files that are requested at once, at most. */
const AHEAD = 4;
/** URLs of a step. They are in memory together. */
const MAX_URLS = 500_000;

const GUESSES = ['/sitemap.xml', '/sitemap_index.xml'];

/** The sitemaps of a host: what its robots.txt lists, or else where most sites have them. */
export function sitemapsOf(step: MergeStep, host: string, home: URL): Unread[] {
  const { sitemaps: policy, robots: obeyed } = step.crawl.request;
  if (policy === 'skip' || step.crawl.retryOf !== undefined) return [];
  const robots = knownHosts(step).robotsOf(host);
  const listed = [...new Set(robots.sitemaps)].flatMap((each) => URL.parse(each, home.href) ?? []);
  if (listed.length > 0) return listed.map(({ href: url }) => ({ host, url, depth: 0, guess: false }));
  const guessed = GUESSES.map((path) => new URL(path, home.href));
  return guessed
    .filter(({ href }) => obeyed !== 'obey' || robots.isAllowed(href))
    .map(({ href: url }) => ({ host, url, depth: 0, guess: true }));
}

/** What was read of a file, for its host and for the queue. */
type Reading = { task: Unread; sources: MapSource[]; children: FileTask[]; sightings: Sighting[] };

/**
 * Reads sitemaps that are unread, in their order and as many as the time allows, and places their URLs. What
 * they lead to is read later, in the same order however the time divides them. False as for `placeSightings`.
 */
export async function readUnread(step: MergeStep): Promise<boolean> {
  const { unread } = step.manifest;
  const readings: Reading[] = [];
  const until = addMs(step.fx.now(), READ_MS);
  const isWithin = () =>
    step.fx.now() <= until && readings.reduce((sum, each) => sum + each.sightings.length, 0) < MAX_URLS;
  while (readings.length < unread.length && (readings.length === 0 || isWithin())) {
    await renewLease(step);
    const left = unread.slice(readings.length);
    readings.push(...(await readSome(step, readings, left.slice(0, atOnce(step, left)))));
  }
  const further = new Map<string, Unread[]>();
  const onHost = (host: string, { url, foundOn = '' }: Sighting) =>
    void further.set(foundOn, [...(further.get(foundOn) ?? []), ...sitemapsOf(step, host, new URL(url))]);
  const sightings = readings.flatMap((reading) => reading.sightings);
  if (!(await placeFound(step, sightings, { rules: crawlRules(step.crawl.request), onHost }))) return false;
  const added = readings.flatMap(({ task, children }) => [
    ...children.map(({ url, depth }) => ({ host: task.host, url: url.href, depth, guess: false })),
    ...(further.get(task.url) ?? []),
  ]);
  step.manifest = {
    ...step.manifest,
    hosts: withSources(step.manifest.hosts, readings),
    unread: [...unread.slice(readings.length), ...added],
  };
  return true;
}

/** How many of the next files are requested side by side. */
function atOnce(step: MergeStep, tasks: readonly Unread[]): number {
  const isSlow = tasks.slice(0, AHEAD).some(({ url }) => distanceTo(step, url) > 0);
  return isSlow ? 1 : Math.min(AHEAD, step.crawl.request.concurrency);
}

/** Requests some files side by side, and reads them one after another. */
async function readSome(
  step: MergeStep,
  before: readonly Reading[],
  tasks: readonly Unread[],
): Promise<Reading[]> {
  const sources = step.manifest.hosts.flatMap(({ sitemaps }) => sitemaps.map(({ url }) => url));
  const now = before.flatMap((reading) => [reading.task.url, ...reading.sources.map(({ url }) => url)]);
  const read = new Set([...sources, ...now].map(spellings));
  const isFresh = ({ url }: Unread, index: number) => {
    const isAgain = tasks.slice(0, index).some((each) => spellings(each.url) === spellings(url));
    return !isAgain && !read.has(spellings(url)) && read.size + index < MAX_FILES;
  };
  const files = await Promise.all(
    tasks.map(async (task, index) => (isFresh(task, index) ? politely(step, task) : undefined)),
  );
  step.signal.throwIfAborted();
  const readings: Reading[] = [];
  for (const [index, task] of tasks.entries()) {
    const reading: Reading = { task, sources: [], children: [], sightings: [] };
    const file = files[index];
    const isThere = file && !(file instanceof AppError) && file.status < 300;
    if (isThere) await readInto(step, reading, file);
    else if (file && !task.guess) reading.sources.push({ url: task.url, type: 'sitemap', ...faultOf(file) });
    readings.push(reading);
  }
  return readings;
}

/** After the time that the host wants between two requests, the last of which was for another file. */
async function politely(step: MergeStep, { url }: Unread): Promise<Judged | AppError> {
  const distance = distanceTo(step, url);
  if (distance > 0) await step.fx.wait(distance);
  const host = hostOf(new URL(url));
  const known = step.manifest.hosts.find((each) => each.host === host) ?? { host };
  const file = await fetchFile(step.fx, url, contextOf(step));
  await noteRequest(step, known);
  return file;
}

function distanceTo({ manifest, crawl }: MergeStep, url: string): number {
  const host = hostOf(new URL(url));
  return distanceAt(
    crawl.request.delay,
    manifest.hosts.find((each) => each.host === host),
  );
}

async function readInto(step: MergeStep, reading: Reading, file: Judged) {
  const { task, sources, children, sightings } = reading;
  const found: FileReader['found'] = {
    add: ({ url, lastmod }) => {
      sightings.push({ url: url.href, depth: 1, via: 'sitemap', foundOn: task.url, lastmod });
      return Promise.resolve(undefined);
    },
    read: (source) => {
      sources.push(source);
      return source;
    },
    stop: () => undefined,
    isStopped: () => false,
    miss: () => undefined,
  };
  const context = contextOf(step);
  const site = { found, context, robots: { isAllowed: () => Promise.resolve(true) } };
  const asTask: FileTask = {
    url: new URL(task.url),
    type: 'sitemap',
    depth: task.depth,
    isGuess: task.guess,
  };
  // URLs are added by `found`: there is nothing to take from here.
  for await (const _ of readFile(site, ANY, { task: asTask, file, queue: children })) continue;
}

const ANY = { isInScope: () => true, isWanted: () => true };

/** Sitemaps are often listed with and without `www.`, and for http and https. */
function spellings(text: string): string {
  const url = new URL(text);
  return bareHost(url) + url.pathname + url.search;
}

function withSources<H extends CrawlHost>(hosts: readonly H[], readings: readonly Reading[]): H[] {
  const byHost = Map.groupBy(readings, ({ task }) => task.host);
  return hosts.map((host) => {
    const sources = (byHost.get(host.host) ?? []).flatMap((reading) => reading.sources);
    const sitemaps = sources.map(({ url, status, urls, error }) => ({
      url,
      ...(status !== undefined && { status }),
      ...(urls !== undefined && { urls }),
      ...(error !== undefined && { error }),
    }));
    return sitemaps.length > 0 ? { ...host, sitemaps: [...host.sitemaps, ...sitemaps] } : host;
  });
}
