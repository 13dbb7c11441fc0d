import type { Page } from '../../shared/contract/page.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape-request.ts';
import { deadline } from '../../shared/deadline.ts';
import { charge, cost } from '../../shared/domain/charge.ts';
import { getPage } from '../../shared/use-cases/get-page.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Effects } from '../../shared/ports.ts';

/** A slot outlives its scrape by so much that only a dead holder's is ever freed by others. */
const SLOT_MARGIN_MS = 10_000;

/** Fetches the page while the caller waits. Charged if a document is delivered, and settled whatever happens. */
export async function scrapeNow(
  fx: Pick<Effects, 'fetchPage' | 'renderPage' | 'count' | 'now'>,
  request: ScrapeRequest,
  { requestId, session, meter, trail }: AuthenticatedCall,
): Promise<Page> {
  const held = cost(request);
  trail.note({ url: request.url });
  const until = new Date(fx.now().getTime() + request.timeout + SLOT_MARGIN_MS);
  await meter.admit({ bucket: 'scrape', credits: held, slot: { id: requestId, until } });
  let charged = 0;
  try {
    using scrape = deadline(request.timeout);
    const orgId = session.organization.id;
    const { signal, deadlineAt } = scrape;
    const context = { requestId, scrapeId: requestId, trail, orgId, signal, deadlineAt };
    const page = await getPage(fx, request, context);
    charged = charge(request, page.status);
    return page;
  } finally {
    meter.settle({ slotId: requestId, held, charged });
  }
}
