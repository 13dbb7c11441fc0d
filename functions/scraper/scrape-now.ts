import type { Page } from '../../shared/contract/scrape/page.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { sliceRangeOf } from '../../shared/contract/scrape/slice.ts';
import { assertFormats, cappedKey } from '../../shared/domain/accounts/key-restrictions.ts';
import { type Outcome, scrapeLine } from '../../shared/domain/accounts/activity/lines.ts';
import { deadline } from '../../shared/time/deadline.ts';
import { assertCap, charge, cost } from '../../shared/domain/accounts/credits/charge.ts';
import { reasonOfError, reasonOfPage } from '../../shared/domain/accounts/credits/credits-reason.ts';
import { shortId } from '../../shared/domain/accounts/credits/short-id.ts';
import { type Ended, kindOf } from '../../shared/domain/accounts/credits/usage-days.ts';
import { toAppError } from '../../shared/errors.ts';
import { getPage } from '../../shared/use-cases/scrape/get-page.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { UNHELD_BYTES } from '../../shared/http/send.ts';
import { sliceOf } from '../../shared/output/slice.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { addMs } from '../../shared/time/units.ts';

/** A slot outlives its function by this much, so that others free only the slot of a dead holder. */
const SLOT_MARGIN_MS = 10_000;

/** Charges a delivered document. Settles at once, or after the last byte of a page that is read slowly. */
export async function scrapeNow(
  fx: Pick<Effects, 'activity' | 'fetchPage' | 'renderPage' | 'convert' | 'count' | 'now'>,
  request: ScrapeRequest,
  { requestId, session, meter, requestLog, endsAt }: AuthenticatedCall,
): Promise<{ page: Page; charged: number }> {
  const [held, kind] = [cost(request), kindOf(request)];
  requestLog.note({ url: request.url });
  const slotId = shortId(requestId);
  const until = addMs(endsAt, SLOT_MARGIN_MS);
  const { restrictions, keyId } = session;
  assertFormats(restrictions, request);
  assertCap(request);
  const key = cappedKey(keyId, restrictions);
  await meter.admit({ credits: held, key, slot: { id: slotId, until } });
  const orgId = session.organization.id;
  const asked = { requestId, orgId, keyId, request };
  const recorder = (outcome: Omit<Outcome, 'ended'>) => (ended: Ended) =>
    fx.activity.record(scrapeLine(asked, { ...outcome, ended }, fx.now()));
  try {
    using scrape = deadline(request.timeout);
    const { signal, deadlineAt } = scrape;
    const context = { requestId, scrapeId: requestId, requestLog, orgId, signal, deadlineAt };
    const page = cut(await getPage(fx, request, context), request);
    const charged = charge(request, page);
    const ended = { kind, reason: reasonOfPage(charged, page.verdict), charged };
    const settlement = { slotId, held, ended };
    const record = recorder({ targetStatus: page.status, verdict: page.verdict });
    if (page.body.byteLength > UNHELD_BYTES) meter.settleOnDelivery(settlement, record);
    else meter.settle(settlement, record);
    return { page, charged };
  } catch (error) {
    const { code, report } = toAppError(error);
    const settlement = { slotId, held, ended: { kind, reason: reasonOfError(code), charged: 0 } };
    // A report may have two thousand steps.
    const settle = report ? meter.settleOnDelivery : meter.settle;
    settle(settlement, recorder({ code }));
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
