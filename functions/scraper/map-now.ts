import { Readable } from 'node:stream';
import type { MappedUrl, MapRequest, MapSummary } from '../../shared/contract/crawls/map.ts';
import { PRICES } from '../../shared/contract/scrape/mode.ts';
import { mapLine, type Outcome } from '../../shared/domain/accounts/activity/lines.ts';
import { assertFormats, cappedKey } from '../../shared/domain/accounts/key-restrictions.ts';
import { reasonOfError } from '../../shared/domain/accounts/credits/credits-reason.ts';
import type { Ended } from '../../shared/domain/accounts/credits/usage-days.ts';
import { toAppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { preferredType } from '../../shared/http/content-encoding.ts';
import { CREDITS_REASON } from '../../shared/http/problem.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { UNHELD_BYTES } from '../../shared/http/send.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { ScrapeContext } from '../../shared/ports/scrape.ts';
import { deadline } from '../../shared/time/deadline.ts';
import { mapSite } from '../../shared/use-cases/crawls/map-site.ts';
import type { MapNeeds } from '../../shared/use-cases/crawls/site.ts';
import { slotOf } from './held-slot.ts';

type Needs = MapNeeds & Pick<Effects, 'activity' | 'now'>;
type Wanted = { request: MapRequest; token: string };
type Urls = AsyncGenerator<MappedUrl, MapSummary>;

const [JSON_TYPE, LINES] = ['application/json', 'application/x-ndjson'] as const;

/** Charges one credit if the site has any URL. Lines are sent while it is read, and charged once all are. */
export async function mapNow(fx: Needs, wanted: Wanted, call: AuthenticatedCall): Promise<Reply> {
  const { requestId, session, meter, requestLog, headers } = call;
  const { restrictions, keyId, organization } = session;
  const { request } = wanted;
  requestLog.note({ url: request.url });
  assertFormats(restrictions, { format: 'links' });
  const slot = slotOf(call);
  const key = cappedKey(keyId, restrictions);
  const held = await meter.admit([PRICES.plain], { slot, key });
  const who = { requestId, orgId: organization.id, keyId, request };
  const settle = (how: 'settle' | 'settleOnDelivery', outcome: Outcome) =>
    meter[how]({ slotId: slot.id, held, ended: outcome.ended }, (ended) =>
      fx.activity.record(mapLine(who, { ...outcome, ended }, fx.now())),
    );
  try {
    requestLog.enter('fetch');
    const urls = limited(fx, wanted, { ...who, scrapeId: requestId, requestLog });
    const first = await urls.next();
    const ended = endOf(!first.done);
    const credits = { [CREDITS_REASON]: ended.reason, Vary: 'Accept' };
    if (preferredType(headers['accept'], [JSON_TYPE, LINES]) === LINES) {
      settle('settleOnDelivery', { ended });
      const type = { 'Content-Type': `${LINES}; charset=utf-8` };
      return { status: 200, headers: { ...type, ...credits }, body: Readable.from(lines(first, urls)) };
    }
    const reply = json(200, await whole(first, urls), credits);
    settle(Buffer.byteLength(reply.body) > UNHELD_BYTES ? 'settleOnDelivery' : 'settle', { ended });
    return reply;
  } catch (error) {
    const { code } = toAppError(error);
    settle('settle', { ended: { ...endOf(false), reason: reasonOfError(code) }, code });
    throw error;
  }
}

/** It counts as a plain scrape. */
const endOf = (hasUrls: boolean): Ended => ({
  kind: 'plain',
  reason: hasUrls ? 'page' : 'no_page',
  charged: hasUrls ? PRICES.plain : 0,
});

/** The deadline ends with the reading, also if nobody reads to its end. */
async function* limited(
  fx: MapNeeds,
  wanted: Wanted,
  who: Omit<ScrapeContext, 'signal' | 'deadlineAt'>,
): Urls {
  using limit = deadline(wanted.request.timeout);
  return yield* mapSite(fx, wanted, { ...who, ...limit });
}

type Step = IteratorResult<MappedUrl, MapSummary>;

async function whole(first: Step, urls: Urls) {
  const found: MappedUrl[] = [];
  let step = first;
  for (; !step.done; step = await urls.next()) found.push(step.value);
  return { urls: found, ...step.value };
}

/** Each URL, and the summary as the last line. */
async function* lines(first: Step, urls: Urls): AsyncGenerator<Buffer> {
  let step = first;
  try {
    for (; !step.done; step = await urls.next()) yield lineOf(step.value);
    yield lineOf(step.value);
  } finally {
    // Ends the reading if nobody waits for it any more.
    await urls.return(NOTHING);
  }
}

const lineOf = (value: object) => Buffer.from(`${JSON.stringify(value)}\n`);
const NOTHING: MapSummary = { total: 0, complete: false, left_out: {}, sources: [] };
