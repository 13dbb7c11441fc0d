import type { Crawl, OutcomeCounts } from '../../contract/crawls/crawl.ts';
import type { Manifest } from '../../contract/crawls/manifest.ts';
import { crawlRules } from '../../domain/crawls/crawl-rules.ts';
import {
  bytesKey,
  type DecidedLine,
  decideLines,
  type EndedLine,
  errorOf,
} from '../../domain/crawls/ended-lines.ts';
import { knownUrls, type Sighting } from '../../domain/crawls/known-urls.ts';
import { placesOf } from '../../domain/crawls/place-url.ts';
import { folded, type SiteIdentity, siteIdentity } from '../../domain/crawls/site-identity.ts';
import { lookUp } from '../../domain/crawls/sorted-table.ts';
import { outcomeOfRest } from '../../domain/crawls/stop-reason.ts';
import { concludeLines, linesForLater } from './conclude-lines.ts';
import { tableIn } from './crawl-files.ts';
import { type MergeStep, storeTables } from './merge-step.ts';
import { turnTaker } from './take-turns.ts';
import { placeSightings } from './place-sightings.ts';
import { sitemapsOf } from './read-unread.ts';
import { readWave } from './read-wave.ts';

type Wave = NonNullable<Crawl['wave']>;

/**
 * Merges what a wave has found: outcomes of its lines, then of the URLs that they lead to. False if the time
 * was too short to read the robots.txt of new hosts: then only those are worth keeping.
 */
export async function mergeWave(step: MergeStep, wave: Wave): Promise<boolean> {
  const { fx, crawl, manifest } = step;
  const { request } = crawl;
  const { lines, waiting, pauses, credits, links } = await readWave(fx, wave, manifest);
  const before = siteIdentity(request.query, manifest.sameAs);
  const sameAs = lines.reduce<Manifest['sameAs']>(
    (known, line) => withRedirect(step, known, line),
    manifest.sameAs,
  );
  const after = siteIdentity(request.query, sameAs);
  const changes = new Map<bigint, number>();
  const seen = await lookUp(tableIn(fx, manifest.seen), await keysIn(lines, before, after));
  const rules = crawlRules(request);
  const context = {
    ...before,
    known: knownUrls(before, seen, changes),
    rules,
    pageOf: await pagesOf(step, lines),
  };
  const decided = decideLines(lines, { ...context, contentUse: request.contentUse ?? [] });
  const fruitless = await countFruitless(step, decided);
  step.manifest = { ...step.manifest, sameAs, links: manifest.links + links };
  const hashes = await concludeLines(step, decided, after);
  step.counts.credits += credits + step.refund.charged;
  const later = linesForLater(waiting, decided);
  // Before new URLs are placed, which may be no more than the limit leaves.
  step.counts.queued += later.length;
  const unread: Manifest['unread'] = [];
  const onHost = (host: string, { url }: Sighting) =>
    void unread.push(...sitemapsOf(step, host, new URL(url)));
  const placing = { known: knownUrls(after, seen, changes), rules, fruitless, onHost };
  if (!(await placeSightings(step, sightingsIn(step, decided), placing))) return false;
  await storeTables(step, { seen: changes, hashes, fruitless });
  step.rest = outcomeOfRest(crawl, new Set(decided.flatMap((line) => errorOf(line) ?? [])), fx.now());
  noteWave(step, wave, [decided, waiting], unread);
  notePauses(step, pauses);
  for (const line of later) await step.queue.add(line);
  return true;
}

function notePauses(step: MergeStep, pauses: ReadonlyMap<string, Date>): void {
  const hosts = step.manifest.hosts.map((host) => {
    const until = pauses.get(host.host);
    return until ? { ...host, paused_until: until.toISOString() } : host;
  });
  step.manifest = { ...step.manifest, hosts };
}

/** The result lines of these outcomes are none of the crawl's results. */
const DROPPED: readonly string[] = [
  'duplicate',
  'content_use',
  'unchanged',
  'robots',
] satisfies (keyof OutcomeCounts)[];

function noteWave(
  step: MergeStep,
  { batchId, firstLine, lines }: Wave,
  [decided, waiting]: [readonly DecidedLine[], readonly EndedLine[]],
  unread: Manifest['unread'],
): void {
  const { manifest } = step;
  const tried = waiting.filter(({ found }) => found !== undefined);
  const unseen = [...decided.filter(({ outcome }) => DROPPED.includes(outcome)), ...tried];
  const dropped = unseen.map(({ line }) => line);
  const merged = { batch_id: batchId, first_line: firstLine, lines };
  const sorted = dropped.sort((a, b) => a - b);
  const unchanged = decided
    .filter(({ outcome }) => outcome === 'unchanged')
    .map(({ asked }) => ({ url: asked.url, depth: asked.crawl.depth }));
  const { wave: _wave, ...rest } = manifest;
  step.manifest = {
    ...rest,
    waves: [...manifest.waves, sorted.length > 0 ? { ...merged, dropped: sorted } : merged],
    unread: [...manifest.unread, ...unread],
    unchanged: [...manifest.unchanged, ...unchanged],
  };
}

function withRedirect({ crawl }: MergeStep, known: Manifest['sameAs'], { asked, found }: EndedLine) {
  const end = found?.url === undefined ? null : URL.parse(found.url);
  return end ? folded(crawl.request.query, known, new URL(asked.url), end) : known;
}

/** The fingerprints of all URLs that the merge compares. */
async function keysIn(
  lines: readonly EndedLine[],
  before: SiteIdentity,
  after: SiteIdentity,
): Promise<Set<bigint>> {
  const takeTurns = turnTaker();
  const texts = new Set<string>();
  for (const { asked, found } of lines) {
    for (const text of [asked.url, found?.url, found?.canonical, ...(found?.links ?? [])])
      if (text !== undefined) texts.add(text);
  }
  const keys = new Set<bigint>();
  for (const text of texts) {
    await takeTurns();
    const url = URL.parse(text);
    if (url === null) continue;
    for (const key of [before.exactOf(url), ...after.keysOf(url)]) keys.add(key);
  }
  return keys;
}

/** Places in the ledger of earlier pages with the same bytes. */
async function pagesOf(
  { fx, manifest }: MergeStep,
  lines: readonly EndedLine[],
): Promise<Map<bigint, number>> {
  const keys = lines.flatMap(({ found }) => (found?.hash ? [bytesKey(found.hash)] : []));
  const rows = await lookUp(tableIn(fx, manifest.hashes), keys);
  // A row with the number 0 would be none.
  return new Map([...rows].map(([key, number]) => [key, number - 1]));
}

/** How many requests in a row have brought no new bytes, by path and folder. */
async function countFruitless(
  step: MergeStep,
  decided: readonly DecidedLine[],
): Promise<Map<bigint, number>> {
  const counted = decided
    .filter(({ outcome }) => outcome === 'page' || outcome === 'duplicate')
    .map(({ asked, outcome }) => ({ outcome, places: placesOf(new URL(asked.url)) }));
  const keys = counted.flatMap(({ places }) => places.map(({ key }) => key));
  const stored = await lookUp(tableIn(step.fx, step.manifest.fruitless), keys);
  const counts = new Map<bigint, number>();
  for (const { outcome, places } of counted) {
    for (const { key } of places) {
      const count = counts.get(key) ?? stored.get(key) ?? 0;
      if (outcome === 'duplicate') counts.set(key, count + 1);
      else if (count > 0) counts.set(key, 0);
    }
  }
  return counts;
}

/** What the pages lead to, in their order, each URL once. */
function sightingsIn({ crawl: { request } }: MergeStep, decided: readonly DecidedLine[]): Sighting[] {
  const texts = new Set<string>();
  const areLinksFollowed = request.sitemaps !== 'only';
  return decided.flatMap(({ asked: { url: foundOn, crawl }, found, canonical, isFollowed }) => {
    const links = isFollowed && areLinksFollowed ? (found?.links ?? []) : [];
    const all: Sighting[] = [
      ...(canonical ? [{ url: canonical, depth: crawl.depth, via: 'canonical' as const, foundOn }] : []),
      ...links.map((url) => ({ url, depth: crawl.depth + 1, via: 'link' as const, foundOn })),
    ];
    const fresh = all.filter(({ url }) => !texts.has(url));
    for (const { url } of fresh) texts.add(url);
    return fresh;
  });
}
