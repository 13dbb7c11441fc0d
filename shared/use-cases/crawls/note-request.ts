import { distanceAt } from '../../domain/crawls/next-wave.ts';
import { forgottenAt, LONGEST_WAIT_MS, requestedBeside } from '../../domain/crawls/host-places.ts';
import type { CrawlHost } from '../../contract/crawls/manifest.ts';
import { SECOND_MS } from '../../time/units.ts';
import type { MergeStep } from './merge-step.ts';

/** Other crawls may change the host at the same time. */
const MAX_TRIES = 8;

/** Lets workers keep their distance to a file of a host that was just requested, if it has a delay. */
export async function noteRequest(
  { fx, crawl }: MergeStep,
  host: Pick<CrawlHost, 'host' | 'crawl_delay'>,
): Promise<void> {
  const visit = { crawlId: crawl.id, delay: distanceAt(crawl.request.delay, host) };
  if (visit.delay === 0) return;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const now = fx.now().getTime();
    const before = await fx.targetHosts.find(host.host);
    const after = requestedBeside(before, host.host, visit, now);
    if (await fx.targetHosts.replace(before, after, forgottenAt(now))) break;
  }
  // A worker that finds the host before that time leaves its lines to a later message.
  if (visit.delay > LONGEST_WAIT_MS) await fx.queue.wake(crawl.orgId, Math.ceil(visit.delay / SECOND_MS));
}
