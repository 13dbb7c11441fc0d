import { setImmediate } from 'node:timers/promises';
import type { MappedUrl, MapRequest } from '../../contract/crawls/map.ts';
import type { SiteRules } from '../../domain/crawls/outcome.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ScrapeContext } from '../../ports/scrape.ts';
import type { FetchNeeds } from './fetch-file.ts';
import type { FoundUrl, FoundUrls } from './found-urls.ts';
import type { RobotsReader } from './read-robots.ts';

export type MapNeeds = FetchNeeds & Pick<Effects, 'convert'>;

/** A site while it is read. */
export type Site = {
  fx: MapNeeds;
  request: MapRequest;
  context: ScrapeContext;
  found: FoundUrls;
  robots: RobotsReader;
};

/** What the URLs of a file are added to. */
export type FileReader = {
  context: Pick<ScrapeContext, 'signal'>;
  found: Pick<FoundUrls, 'add' | 'read' | 'stop' | 'isStopped' | 'miss'>;
  robots: Pick<RobotsReader, 'isAllowed'>;
};

/** Milliseconds of work after which timers and sockets get their turn. */
const TURN_MS = 20;

/** Adds URLs until the reading has ended, and yields the new ones. */
export async function* addAll(
  site: FileReader,
  rules: SiteRules,
  urls: Iterable<FoundUrl>,
): AsyncGenerator<MappedUrl> {
  const { found, robots } = site;
  let turnEnds = performance.now() + TURN_MS;
  for (const each of urls) {
    if (hasEnded(site)) return;
    const added = await found.add(each, rules, robots.isAllowed);
    if (added) yield added;
    if (performance.now() < turnEnds) continue;
    await setImmediate();
    turnEnds = performance.now() + TURN_MS;
  }
}

/** Whether a limit or the time is reached. */
export function hasEnded({ found, context }: FileReader): boolean {
  if (context.signal.aborted) found.stop('timeout');
  return found.isStopped();
}
