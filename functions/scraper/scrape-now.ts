import { modeTriedIn } from '../../shared/contract/scrape/mode.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { sliceRangeOf } from '../../shared/contract/scrape/slice.ts';
import { assertFormats, cappedKey } from '../../shared/domain/accounts/key-restrictions.ts';
import { type Outcome, scrapeLine } from '../../shared/domain/accounts/activity/lines.ts';
import { deadline } from '../../shared/time/deadline.ts';
import { assertCap, costs, spareCredits } from '../../shared/domain/accounts/credits/charge.ts';
import { endOfError, endOfPage } from '../../shared/domain/accounts/credits/ended.ts';
import type { Ended } from '../../shared/domain/accounts/credits/usage-days.ts';
import { toAppError } from '../../shared/errors.ts';
import type { PageNeeds } from '../../shared/use-cases/scrape/get-page.ts';
import {
  type CacheNeeds,
  findRepeat,
  freshPage,
  isKept,
  keepPage,
  type Repeat,
} from '../../shared/use-cases/scrape/page-cache.ts';
import { currentPage } from '../../shared/use-cases/scrape/repeat-page.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { UNHELD_BYTES } from '../../shared/http/send.ts';
import { sliceOf } from '../../shared/output/slice.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { slotOf } from './held-slot.ts';

export type ScrapeNeeds = PageNeeds & CacheNeeds & Pick<Effects, 'activity'>;

type Delivered = { page: Page; ended: Ended };

/** The kept page of a request, in no slot and free of charge, or else a new one. */
export async function scrapeNow(
  fx: ScrapeNeeds,
  request: ScrapeRequest,
  call: AuthenticatedCall,
): Promise<Delivered> {
  call.requestLog.note({ url: request.url });
  const { restrictions } = call.session;
  assertFormats(restrictions, request);
  assertCap(request);
  const repeat = await findRepeat(fx, request, callerOf(call));
  return (repeat && (await keptNow(fx, request, call, repeat))) ?? fetchNow(fx, request, call, repeat);
}

const callerOf = ({ session: { organization, restrictions } }: AuthenticatedCall) => ({
  orgId: organization.id,
  restrictions,
});

async function keptNow(
  fx: ScrapeNeeds,
  request: ScrapeRequest,
  call: AuthenticatedCall,
  repeat: Repeat,
): Promise<Delivered | undefined> {
  if (!repeat.isFresh) return undefined;
  await call.meter.takeRateLimit();
  call.requestLog.enter('store');
  const page = await freshPage(fx, repeat);
  if (page === undefined) return undefined;
  call.requestLog.note({ targetStatus: page.status, bytes: page.body.byteLength });
  const ended = endOfPage(request, page);
  call.meter.count(ended, recorderOf(fx, request, call)(page));
  return { page: cut(page, request), ended };
}

/** Charges a delivered document. Settles at once, or after the last byte of a page that is read slowly. */
async function fetchNow(
  fx: ScrapeNeeds,
  request: ScrapeRequest,
  call: AuthenticatedCall,
  repeat: Repeat | undefined,
): Promise<Delivered> {
  const { requestId, session, meter, requestLog } = call;
  const slot = slotOf(call);
  const slotId = slot.id;
  const key = cappedKey(session.keyId, session.restrictions);
  const held = await meter.admit(costs(request), { key, slot });
  const recorder = recorderOf(fx, request, call);
  try {
    using scrape = deadline(request.timeout);
    const who = { requestId, scrapeId: requestId, requestLog, orgId: session.organization.id };
    const usage = meter.usage();
    const spare = usage && spareCredits(usage, slotId);
    const context = { ...who, ...scrape, heldCredits: held, spareCredits: spare };
    const whole = await currentPage(fx, request, context, repeat);
    const page = cut(whole, request);
    const ended = endOfPage(request, page);
    // Of a kept page, what a slow reader misses is free the next time.
    const mayRead = page.body.byteLength > UNHELD_BYTES && !isKept(fx, whole);
    const settle = mayRead ? meter.settleOnDelivery : meter.settle;
    settle({ slotId, held, ended }, recorder(page));
    await keepPage(fx, request, callerOf(call), whole);
    return { page, ended };
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

type Came = Pick<Outcome, 'code' | 'verdict' | 'modeTried' | 'cache'> & { status?: number };

/** Records what came of a request, once it is known how that ended. */
function recorderOf(fx: ScrapeNeeds, request: ScrapeRequest, { requestId, session }: AuthenticatedCall) {
  const { organization, keyId } = session;
  const asked = { requestId, orgId: organization.id, keyId, request };
  return ({ status: targetStatus, code, verdict, modeTried, cache }: Came) =>
    (ended: Ended) => {
      const outcome = { ended, targetStatus, code, verdict, modeTried, cache };
      return fx.activity.record(scrapeLine(asked, outcome, fx.now()));
    };
}

/** The page with the part of its text that the request is for. */
function cut(page: Page, request: ScrapeRequest): Page {
  const range = sliceRangeOf(request);
  if (range === undefined) return page;
  const { text, ...slice } = sliceOf(page.body, { ...range, isMarkdown: request.format === 'markdown' });
  return { ...page, body: Buffer.from(text), slice };
}
