import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { EventType } from '../../contract/webhooks/webhook.ts';
import { crawlView } from '../../domain/crawls/crawl-view.ts';
import type { Effects } from '../../ports/effects.ts';
import { emitCompat } from '../webhooks/emit-compat.ts';
import { emitEvent } from '../webhooks/emit-event.ts';
import { forEachConcurrently } from '../../time/for-each-concurrently.ts';
import { type PlanNeeds, replaced } from './merge-step.ts';
import { chunksOf } from './read-wave.ts';

type Needs = Pick<Effects, 'webhooks' | 'deliveries' | 'notifierQueue' | 'now' | 'apiUrl'>;

const COMPLETED: EventType = 'crawl.completed';

/** Safe to run again: the event has the time at which the crawl was complete. */
export async function emitCrawlCompleted(fx: Needs, crawl: Crawl): Promise<void> {
  const { id: subject, orgId, webhook, compatHook, completedAt: at = fx.now() } = crawl;
  const event = { type: COMPLETED, orgId, subject, at, data: crawlView(fx.apiUrl, crawl) };
  await emitEvent(fx, event, compatHook ? undefined : webhook);
  const hasFailed = hasNoPages(crawl);
  const error = hasFailed && { error: `The crawl has no pages: ${crawl.stopReason}.` };
  await emitCompat(fx, crawl, { of: 'crawl', name: hasFailed ? 'failed' : 'completed', at, ...error });
}

/** Whether the pages to begin at could not be read, so that nothing came of it. */
const hasNoPages = ({ outcomes, stopReason }: Crawl) =>
  !outcomes.page && (stopReason === 'robots' || stopReason === 'unreachable');

/** Gives back what a merge has found to be free, once. */
export async function giveBack(
  fx: PlanNeeds,
  crawl: Crawl,
  refund: NonNullable<Crawl['refund']>,
): Promise<Crawl> {
  const { turn, period, ...ended } = refund;
  const organization = await fx.organizations.find(crawl.orgId);
  if (organization) await fx.usage.giveBack(organization, { id: crawl.id, turn, period, ended }, fx.now());
  return replaced(fx, crawl, { refund: undefined });
}

const CONCURRENCY = 20;

/** Emits the pages of a merged wave, once: the event has the time of the merge. */
export async function sendPages(
  fx: PlanNeeds,
  crawl: Crawl,
  { batchId, at }: NonNullable<Crawl['unsent']>,
): Promise<Crawl> {
  const batch = await fx.batches.find(batchId);
  const chunks = await chunksOf(fx, batchId, batch?.upload.chunks ?? 0);
  const parts = chunks.flatMap(({ index, parts }) => parts.map(({ token }) => ({ batchId, index, token })));
  await forEachConcurrently(CONCURRENCY, parts, (part) =>
    emitCompat(fx, crawl, { of: 'crawl', name: 'page', at, part }),
  );
  return replaced(fx, crawl, { unsent: undefined });
}

/** Emits the event, and takes the crawl off the sweeper's list. */
export async function reportEnd(fx: PlanNeeds, crawl: Crawl): Promise<false> {
  await emitCrawlCompleted(fx, crawl);
  await replaced(fx, crawl, { dueAt: undefined });
  return false;
}
