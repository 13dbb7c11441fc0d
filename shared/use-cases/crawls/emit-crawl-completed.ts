import type { Crawl } from '../../contract/crawls/crawl.ts';
import type { EventType } from '../../contract/webhooks/webhook.ts';
import { crawlView } from '../../domain/crawls/crawl-view.ts';
import type { Effects } from '../../ports/effects.ts';
import { emitEvent } from '../webhooks/emit-event.ts';

type Needs = Pick<Effects, 'webhooks' | 'deliveries' | 'notifierQueue' | 'now' | 'apiUrl'>;

const COMPLETED: EventType = 'crawl.completed';

/** Safe to run again: the event has the time at which the crawl was complete. */
export async function emitCrawlCompleted(fx: Needs, crawl: Crawl): Promise<void> {
  const { id: subject, orgId, webhook, completedAt: at = fx.now() } = crawl;
  await emitEvent(fx, { type: COMPLETED, orgId, subject, at, data: crawlView(fx.apiUrl, crawl) }, webhook);
}
