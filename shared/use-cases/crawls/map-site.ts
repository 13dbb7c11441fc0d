import type { MappedUrl, MapRequest, MapSummary } from '../../contract/crawls/map.ts';
import { globFilter } from '../../domain/crawls/globs.ts';
import type { SiteRules } from '../../domain/crawls/outcome.ts';
import type { Robots } from '../../domain/crawls/robots.ts';
import { scopeOf } from '../../domain/crawls/scope.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import { firstAborted } from '../../time/first-aborted.ts';
import { foundUrls } from './found-urls.ts';
import { type FileTask, readFile, readFiles } from './read-files.ts';
import { robotsReader } from './read-robots.ts';
import { readSeed, type Seed } from './read-seed.ts';
import { addAll, hasEnded, type MapNeeds, type Site } from './site.ts';

/**
 * Yields the URLs of a site while it is read, or with `search` the best first once it has been. They come
 * from its robots.txt, sitemaps, feeds and the page of the request. Returns what was read and left out.
 * Throws `url_not_allowed` for a host that may not be scraped; other faults of sources are in the summary.
 */
export async function* mapSite(
  fx: MapNeeds,
  { request, token }: { request: MapRequest; token: string },
  context: ScrapeContext,
): AsyncGenerator<MappedUrl, MapSummary> {
  const over = new AbortController();
  const within = { ...context, signal: firstAborted(context.signal, over.signal) };
  const found = foundUrls(request);
  const seed = new URL(request.url);
  seed.hash = '';
  const robots = robotsReader(fx, { found, context: within, seed, token });
  try {
    const urls = read({ fx, request, context: within, found, robots }, seed);
    for await (const url of urls) if (!request.search) yield url;
    if (request.search) yield* found.best();
    return found.summary();
  } finally {
    over.abort();
  }
}

async function* read(site: Site, seed: URL): AsyncGenerator<MappedUrl> {
  const { request, robots } = site;
  const { scope, sitemaps, include, exclude } = request;
  await robots.of(seed);
  const { home, urls, feeds, file }: Seed =
    sitemaps === 'only' ? { home: seed, urls: [], feeds: [] } : await readSeed(site, seed);
  const rules: SiteRules = { isInScope: scopeOf(scope, home), isWanted: globFilter(include, exclude) };
  const ofHome = await robots.of(home);
  yield* addAll(site, rules, urls);
  const files = await readable(site, [...feeds, ...(sitemaps === 'skip' ? [] : sitemapsOf(ofHome, home))]);
  const self: FileTask = { url: home, type: 'sitemap', depth: 0 };
  if (file) yield* readFile(site, rules, { task: self, file, queue: files });
  if (hasEnded(site)) return;
  yield* readFiles(site, rules, files);
  const allowed = ofHome.allowedPaths.flatMap((path) => URL.parse(path, home.href) ?? []);
  yield* addAll(
    site,
    rules,
    allowed.map((url) => ({ url, source: 'robots' as const })),
  );
}

/** In robots.txt, or where most sites have them. */
function sitemapsOf({ sitemaps }: Robots, home: URL): FileTask[] {
  const listed = sitemaps.flatMap((each) => URL.parse(each, home.href) ?? []);
  if (listed.length > 0) return listed.map((url) => ({ url, type: 'sitemap', depth: 0 }));
  const guessed = ['/sitemap.xml', '/sitemap_index.xml'].map((path) => new URL(path, home));
  return guessed.map((url) => ({ url, type: 'sitemap', depth: 0, isGuess: true }));
}

/** Files that robots.txt does not disallow. A sitemap that it lists itself may be read. */
async function readable({ request, robots, found }: Site, tasks: readonly FileTask[]): Promise<FileTask[]> {
  const kept: FileTask[] = [];
  for (const task of tasks) {
    const { url, type, isGuess = false } = task;
    const isListed = type === 'sitemap' && !isGuess;
    if (isListed || request.robots !== 'obey' || (await robots.isAllowed(url))) kept.push(task);
    else if (!isGuess) found.read({ url: url.href, type, error: 'robots' });
  }
  return kept;
}
