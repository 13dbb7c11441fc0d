import type { SiteRules } from '../../domain/crawls/outcome.ts';
import { KNOWN, knownUrls, type Sighting } from '../../domain/crawls/known-urls.ts';
import { siteIdentity } from '../../domain/crawls/site-identity.ts';
import { lookUp } from '../../domain/crawls/sorted-table.ts';
import { tableIn } from './crawl-files.ts';
import { type MergeStep, storeTables } from './merge-step.ts';
import { turnTaker } from './take-turns.ts';
import { placeSightings } from './place-sightings.ts';

type Options = {
  rules: SiteRules;
  isRetry?: boolean;
  /** URLs of the queue that have become pages without a request. */
  pages?: readonly string[];
  onHost: (host: string, sighting: Sighting) => void;
};

/** Places URLs that no wave has led to, and notes them as seen. False as for `placeSightings`. */
export async function placeFound(
  step: MergeStep,
  sightings: readonly Sighting[],
  { pages = [], ...options }: Options,
): Promise<boolean> {
  const identity = siteIdentity(step.crawl.request.query, step.manifest.sameAs);
  const takeTurns = turnTaker();
  const keys = new Set<bigint>();
  for (const text of [...pages, ...sightings.map(({ url }) => url)]) {
    await takeTurns();
    const url = URL.parse(text);
    if (url) for (const key of [identity.exactOf(url), ...identity.keysOf(url)]) keys.add(key);
  }
  const changes = new Map<bigint, number>();
  const known = knownUrls(identity, await lookUp(tableIn(step.fx, step.manifest.seen), keys), changes);
  for (const page of pages) known.set(new URL(page), KNOWN.page);
  if (!(await placeSightings(step, sightings, { ...options, known, fruitless: new Map() }))) return false;
  await storeTables(step, { seen: changes });
  return true;
}
