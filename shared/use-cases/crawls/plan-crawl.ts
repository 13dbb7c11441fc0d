import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { Manifest } from '../../contract/crawls/manifest.ts';
import { filesOf } from '../../domain/crawls/crawl-keys.ts';
import { type CrawlChanges, crawlMustPlan, leased } from '../../domain/crawls/crawl-state.ts';
import { outcomeOfRest, stopReasonOf } from '../../domain/crawls/stop-reason.ts';
import { forEachConcurrently } from '../../time/for-each-concurrently.ts';
import { addMs, HOUR_MS, SECOND_MS } from '../../time/units.ts';
import { chooseWave } from './choose-wave.ts';
import { readManifest } from './crawl-files.ts';
import { endAll } from './end-waiting.ts';
import { followUnchanged, placeFirst } from './first-sightings.ts';
import { waveHasEnded } from './make-wave.ts';
import {
  commit,
  type MergeStep,
  openStep,
  Overtaken,
  type PlanContext,
  type PlanNeeds,
  replaced,
} from './merge-step.ts';
import { mergeWave } from './merge-wave.ts';
import { giveBack, reportEnd, sendPages } from './settle-crawl.ts';
import { receives } from '../webhooks/emit-compat.ts';
import { readUnread } from './read-unread.ts';

/** How long steps follow one another before another message takes over. */
const STEPS_MS = 60 * SECOND_MS;
const CONCURRENCY = 20;
/** After its deadline a crawl is planned so long, however often that fails. */
const GIVE_UP_MS = HOUR_MS;

/**
 * Takes a crawl further: merges what its wave has found, reads sitemaps, and begins the next wave. Safe to
 * run twice and at the same time, and to be killed after any line. Does nothing while a wave runs.
 */
export async function planCrawl(fx: PlanNeeds, id: string, context: PlanContext): Promise<void> {
  const until = addMs(fx.now(), STEPS_MS);
  try {
    while (await planOnce(fx, id, context)) {
      if (fx.now() <= until && !context.signal.aborted) continue;
      const crawl = await fx.crawls.find(id);
      if (crawl) await fx.queue.planCrawl(crawl);
      return;
    }
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
    // It may have been overtaken by a caller who cancels, and not by another worker.
    const crawl = await fx.crawls.find(id);
    if (crawl) await fx.queue.planCrawl(crawl, 1);
  }
}

/** Whether there is more to do at once. */
async function planOnce(fx: PlanNeeds, id: string, context: PlanContext): Promise<boolean> {
  const found = await fx.crawls.find(id);
  if (found === undefined || !crawlMustPlan(found, fx.now())) return false;
  const refunded = found.refund ? await giveBack(fx, found, found.refund) : found;
  const crawl = refunded.unsent ? await sendPages(fx, refunded, refunded.unsent) : refunded;
  if (crawl.completedAt) return reportEnd(fx, crawl);
  if (crawl.wave && !(await waveHasEnded(fx, crawl, crawl.wave))) return false;
  const owned = leased(crawl, fx.now());
  if (!(await fx.crawls.replace(crawl, owned))) throw new Overtaken();
  try {
    await takeStep(fx, owned, context);
  } catch (error) {
    await release(fx, owned).catch(() => undefined);
    if (error instanceof Overtaken || addMs(owned.deadlineAt, GIVE_UP_MS) > fx.now()) throw error;
    await giveUp(fx, id);
  }
  return true;
}

/** Ends a crawl that cannot be merged, such as without its files: no crawl may stay open for ever. */
async function giveUp(fx: PlanNeeds, id: string): Promise<void> {
  const crawl = await fx.crawls.find(id);
  if (crawl === undefined || crawl.completedAt) return;
  const { outcomes, queued, wave } = crawl;
  const deadline = (outcomes.deadline ?? 0) + queued + (wave?.lines ?? 0);
  await replaced(fx, crawl, {
    ...{ outcomes: { ...outcomes, deadline }, queued: 0, wave: undefined },
    ...{ completedAt: fx.now(), stopReason: 'deadline' },
    status: crawl.cancelledAt ? 'cancelled' : 'completed',
  });
}

/** The lease of a step that came to nothing, unless another process has taken it. */
async function release(fx: PlanNeeds, { id, fencingToken }: Crawl): Promise<void> {
  const crawl = await fx.crawls.find(id);
  if (crawl?.fencingToken === fencingToken && crawl.leasedUntil)
    await replaced(fx, crawl, { leasedUntil: undefined });
}

/** One version of what the crawl knows, from the one before. */
async function takeStep(fx: PlanNeeds, crawl: Crawl, context: PlanContext): Promise<void> {
  const before = crawl.manifest === undefined ? undefined : await readManifest(fx, crawl.manifest);
  const step = openStep(fx, crawl, before, context);
  if (!(await gather(step))) return keepHosts(step, before);
  step.rest ??= outcomeOfRest(crawl, new Set(), fx.now());
  const wave = step.rest || isReading(step.manifest) ? undefined : await chooseWave(step);
  if (step.rest) await endAll(step, step.rest);
  const isDone = wave === undefined && step.counts.queued === 0 && !isReading(step.manifest);
  await commit(step, { wave, ...merging(step), ...(isDone && ending(step)) });
  await removeOld(step, before);
}

/** Places what was found since the last step. False if robots.txt of hosts are still to be read for it. */
async function gather(step: MergeStep): Promise<boolean> {
  const { crawl, manifest } = step;
  if (!manifest.begun) return placeFirst(step);
  if (crawl.wave) return mergeWave(step, crawl.wave);
  if (outcomeOfRest(crawl, new Set(), step.fx.now())) return true;
  if (manifest.unchanged.length > 0) return followUnchanged(step);
  return manifest.unread.length === 0 || readUnread(step);
}

/** Whether more is to be read before a wave may begin. */
const isReading = ({ unread, unchanged }: Manifest) => unread.length > 0 || unchanged.length > 0;

/** The next step is this one again, with the hosts that were read. */
async function keepHosts(
  { fx, crawl, manifest, ...context }: MergeStep,
  before: Manifest | undefined,
): Promise<void> {
  const step = openStep(fx, crawl, before, context);
  step.manifest = { ...step.manifest, hosts: manifest.hosts };
  await commit(step, {});
}

/** Pages of a merged wave are sent by the next step, once they are results of the crawl. */
function merging({ fx, crawl }: MergeStep): CrawlChanges {
  if (crawl.wave === undefined || !receives(crawl, 'page')) return {};
  return { unsent: { batchId: crawl.wave.batchId, at: fx.now() } };
}

function ending({ fx, crawl, counts, manifest }: MergeStep): CrawlChanges {
  return {
    completedAt: fx.now(),
    status: crawl.cancelledAt ? 'cancelled' : 'completed',
    stopReason: stopReasonOf(crawl, counts.outcomes, manifest.seeds),
  };
}

/** Files of the crawl that the new version no longer has. A death leaves them until they expire. */
async function removeOld({ fx, crawl, manifest }: MergeStep, before: Manifest | undefined): Promise<void> {
  const keys = (known: Manifest) => [
    ...[known.seen, known.hashes, known.fruitless].flat(),
    ...known.queue.map(({ key }) => key),
  ];
  const kept = new Set(keys(manifest));
  const own = filesOf(crawl);
  const old = (before ? keys(before) : []).filter((key) => key.startsWith(own) && !kept.has(key));
  await forEachConcurrently(CONCURRENCY, old, (key) => fx.results.remove(key));
}
