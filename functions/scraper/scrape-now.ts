import { modeTriedIn } from '../../shared/contract/scrape/mode.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { sliceRangeOf } from '../../shared/contract/scrape/slice.ts';
import { assertFormats, cappedKey } from '../../shared/domain/accounts/key-restrictions.ts';
import { type Outcome, scrapeLine } from '../../shared/domain/accounts/activity/lines.ts';
import { deadline } from '../../shared/time/deadline.ts';
import { assertCap, costs } from '../../shared/domain/accounts/credits/charge.ts';
import { endOfError, endOfPage } from '../../shared/domain/accounts/credits/ended.ts';
import type { Ended } from '../../shared/domain/accounts/credits/usage-days.ts';
import { toAppError } from '../../shared/errors.ts';
import { getPage, type PageNeeds } from '../../shared/use-cases/scrape/get-page.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { UNHELD_BYTES } from '../../shared/http/send.ts';
import { sliceOf } from '../../shared/output/slice.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { slotOf } from './held-slot.ts';

/** Charges a delivered document. Settles at once, or after the last byte of a page that is read slowly. */
export async function scrapeNow(
  fx: PageNeeds & Pick<Effects, 'activity' | 'now'>,
  request: ScrapeRequest,
  call: AuthenticatedCall,
): Promise<{ page: Page; charged: number }> {
  const { requestId, session, meter, requestLog } = call;
  requestLog.note({ url: request.url });
  const slot = slotOf(call);
  const slotId = slot.id;
  const { restrictions, keyId } = session;
  assertFormats(restrictions, request);
  assertCap(request);
  const key = cappedKey(keyId, restrictions);
  const held = await meter.admit(costs(request), { key, slot });
  const orgId = session.organization.id;
  const asked = { requestId, orgId, keyId, request };
  const recorder = (outcome: Omit<Outcome, 'ended'>) => (ended: Ended) =>
    fx.activity.record(scrapeLine(asked, { ...outcome, ended }, fx.now()));
  try {
    using scrape = deadline(request.timeout);
    const who = { requestId, scrapeId: requestId, requestLog, orgId };
    const context = { ...who, ...scrape, heldCredits: held };
    const page = cut(await getPage(fx, request, context), request);
    const ended = endOfPage(request, page);
    const { status: targetStatus, verdict, modeTried } = page;
    const settle = page.body.byteLength > UNHELD_BYTES ? meter.settleOnDelivery : meter.settle;
    settle({ slotId, held, ended }, recorder({ targetStatus, verdict, modeTried }));
    return { page, charged: ended.charged };
  } catch (error) {
    const failure = toAppError(error);
    // A report may have two thousand steps.
    const settle = failure.report ? meter.settleOnDelivery : meter.settle;
    const modeTried = modeTriedIn(failure.fields);
    settle(
      { slotId, held, ended: endOfError(request, failure) },
      recorder({ code: failure.code, modeTried }),
    );
    throw error;
  }
}

/** The page with the part of its text that the request is for. */
function cut(page: Page, request: ScrapeRequest): Page {
  const range = sliceRangeOf(request);
  if (range === undefined) return page;
  const { text, ...slice } = sliceOf(page.body, { ...range, isMarkdown: request.format === 'markdown' });
  return { ...page, body: Buffer.from(text), slice };
}
