import { openRequestLog } from '../../../shared/observe/request-log.ts';
import type { ScrapeContext } from '../../../shared/ports/scrape.ts';

/** The context of a scrape, with ids that do not matter. */
export function scrapeContext(signal = new AbortController().signal): ScrapeContext {
  const deadlineAt = new Date(Date.now() + 60_000);
  return { requestId: 'r', scrapeId: 's', orgId: 'o', signal, deadlineAt, requestLog: openRequestLog() };
}
