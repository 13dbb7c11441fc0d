import { ledgerLine } from '../../domain/crawls/ledger-line.ts';
import { hostOf } from '../../domain/crawls/crawl-rules.ts';
import { KNOWN, type KnownUrls, type Sighting } from '../../domain/crawls/known-urls.ts';
import type { SiteRules } from '../../domain/crawls/outcome.ts';
import {
  isNoted,
  outcomeBySpelling,
  placesOf,
  placeUrl,
  type Placed,
} from '../../domain/crawls/place-url.ts';
import { lookUp } from '../../domain/crawls/sorted-table.ts';
import type { Outcome } from '../../contract/crawls/crawl.ts';
import { tableIn } from './crawl-files.ts';
import { conclude, type MergeStep } from './merge-step.ts';
import { turnTaker } from './take-turns.ts';
import { knownHosts, readHosts } from './read-hosts.ts';

type Fresh = { sighting: Sighting; url: URL; outcome: Outcome | undefined };

type Placing = {
  known: KnownUrls;
  rules: SiteRules;
  /** Requests without new bytes, by the places that are counted. */
  fruitless: ReadonlyMap<bigint, number>;
  /** URLs that are placed although they are known. */
  isRetry?: boolean;
  /** Called for the first URL of each host that is new. */
  onHost: (host: string, sighting: Sighting) => void;
};

/**
 * Gives each URL that is new its outcome or its place in the queue, in this order. False, without any of
 * that, if the time was too short to read the robots.txt of all hosts.
 */
export async function placeSightings(
  step: MergeStep,
  sightings: readonly Sighting[],
  placing: Placing,
): Promise<boolean> {
  const takeTurns = turnTaker();
  const fresh: Fresh[] = [];
  const { maxDepth } = step.crawl.request;
  for (const sighting of sightings) {
    await takeTurns();
    const url = URL.parse(sighting.url);
    if (!url || !/^https?:$/.test(url.protocol)) continue;
    url.hash = '';
    if (!placing.isRetry && placing.known.stateOf(url) !== undefined) continue;
    placing.known.set(url, KNOWN.unwanted);
    fresh.push({
      sighting,
      url,
      outcome: outcomeBySpelling(sighting, url, { rules: placing.rules, maxDepth }),
    });
  }
  const wanted = fresh.filter(({ outcome }) => outcome === undefined);
  if (
    !(await readHosts(
      step,
      wanted.map(({ url }) => url),
    ))
  )
    return false;
  noteHosts(step, wanted, placing);
  await placeAll(step, fresh, placing);
  return true;
}

/** In the order in which their URLs were found, also if their robots.txt was read in an earlier step. */
function noteHosts(step: MergeStep, wanted: readonly Fresh[], { onHost }: Placing): void {
  const { hosts } = step.manifest;
  const fresh = new Set(hosts.filter((each) => !each.is_listed).map(({ host }) => host));
  for (const { url, sighting } of wanted) if (fresh.delete(hostOf(url))) onHost(hostOf(url), sighting);
  step.manifest = { ...step.manifest, hosts: hosts.map((host) => ({ ...host, is_listed: true as const })) };
}

async function placeAll(step: MergeStep, fresh: readonly Fresh[], placing: Placing): Promise<void> {
  const takeTurns = turnTaker();
  const { known, fruitless } = placing;
  const { rulesOf: hostRules } = knownHosts(step);
  const { request } = step.crawl;
  const counted = fruitless.size > 0 || step.manifest.fruitless.length > 0;
  const places = counted ? fresh.flatMap(({ url }) => placesOf(url).map(({ key }) => key)) : [];
  const stored = await lookUp(tableIn(step.fx, step.manifest.fruitless), places);
  const isFruitless = (url: URL) =>
    counted && placesOf(url).some(({ key, most }) => (fruitless.get(key) ?? stored.get(key) ?? 0) > most);
  for (const { sighting, url, outcome } of fresh) {
    await takeTurns();
    if (!isNoted(step.counts, request.limit)) {
      known.forget(url);
      continue;
    }
    const context = { request, hostRules, isFruitless, counts: step.counts };
    const placed = outcome ? { outcome } : placeUrl(url, context);
    countSeed(step, sighting, url, placed);
    if (placed.outcome) {
      const line = ledgerLine({ ...sighting, url: url.href }, placed.outcome);
      await conclude(step, placed.errorCode ? { ...line, error_code: placed.errorCode } : line);
    } else {
      known.set(url, KNOWN.waits);
      await enqueue(step, { ...sighting, url: url.href }, placed);
    }
  }
}

async function enqueue(step: MergeStep, sighting: Sighting, { disallowed }: Placed): Promise<void> {
  const { url, depth, via, foundOn, lastmod } = sighting;
  const place = step.manifest.placed;
  step.manifest = { ...step.manifest, placed: place + 1 };
  step.counts.queued += 1;
  const rest = {
    ...(foundOn && { found_on: foundOn }),
    ...(lastmod && { lastmod }),
    ...(disallowed && { disallowed }),
  };
  await step.queue.add({ url, crawl: { place, depth, via, ...rest } });
}

function countSeed(step: MergeStep, { via }: Sighting, url: URL, { outcome }: Placed): void {
  if (via !== 'seed') return;
  const { seeds, hosts } = step.manifest;
  const host = hosts.find((each) => each.host === hostOf(url));
  const isUnreachable = host?.robots === 'unreachable' || host?.robots === 'forbidden';
  const isOut = outcome === 'robots' || outcome === 'failed';
  step.manifest = {
    ...step.manifest,
    seeds: {
      ...seeds,
      total: seeds.total + 1,
      disallowed: seeds.disallowed + Number(isOut && !isUnreachable),
      unreachable: seeds.unreachable + Number(isOut && isUnreachable),
    },
  };
}
