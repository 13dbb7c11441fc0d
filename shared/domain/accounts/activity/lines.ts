import type { ActivityLine, ActivityView } from '../../../contract/accounts/activity.ts';
import { snakeKeys } from '../../../contract/case.ts';
import type { MapRequest } from '../../../contract/crawls/map.ts';
import type { CacheState } from '../../../contract/scrape/cache.ts';
import { type Kind, kindOf } from '../../../contract/scrape/mode.ts';
import { RecordedFields } from '../../../contract/scrape/recorded-fields.ts';
import { ScrapeRequest } from '../../../contract/scrape/scrape-request.ts';
import type { PageVerdict } from '../../../contract/scrape/verdict.ts';
import type { ErrorCode } from '../../../errors.ts';
import type { Ended } from '../credits/usage-days.ts';
import { timeOfId } from '../credits/short-id.ts';

/** Longer URLs are cut, with a mark behind them: a line is at most a write unit. */
const MAX_URL = 512;
const CUT = '…';

type Asked = { requestId: string; orgId: string; keyId: string; request: ScrapeRequest };
type AskedMap = Omit<Asked, 'request'> & { request: Pick<MapRequest, 'url' | 'timeout'> };
export type Outcome = {
  ended: Ended;
  targetStatus?: number | undefined;
  verdict?: PageVerdict | undefined;
  code?: ErrorCode | undefined;
  modeTried?: string | undefined;
  cache?: CacheState | undefined;
};

/** The line of a sync scrape. Its time is taken from its id, so that the id alone finds it. */
export function scrapeLine(
  asked: Asked,
  { ended, targetStatus, verdict, code, modeTried, cache }: Outcome,
  now: Date,
): ActivityLine {
  const { requestId, orgId, keyId, request } = asked;
  const time = timeOfId(requestId) ?? now;
  return {
    ...about(request),
    time,
    orgId,
    keyId,
    id: requestId,
    type: 'scrape',
    targetStatus,
    verdict,
    code,
    modeTried,
    cache,
    rung: countedRung(request, { modeTried, kind: ended.kind }),
    credits: ended.charged,
    reason: ended.reason,
    ms: Math.max(0, now.getTime() - time.getTime()),
  };
}

/** The line of a map. It counts as a plain scrape. */
export function mapLine(asked: AskedMap, outcome: Outcome, now: Date): ActivityLine {
  const { url, timeout } = asked.request;
  const line = scrapeLine({ ...asked, request: ScrapeRequest.parse({ url }) }, outcome, now);
  return { ...line, call: 'map', options: { timeout } };
}

type Counted = { modeTried: string | undefined; kind: Kind };

/** The rung of a line, unless the line's options say it. */
export function countedRung(request: ScrapeRequest, { modeTried, kind }: Counted): Kind | undefined {
  return modeTried === undefined && kind === kindOf(request) ? undefined : kind;
}

/** How the scrape of a line ended. */
export function endOfLine(line: ActivityLine): Ended {
  return { kind: kindOfLine(line), reason: line.reason, charged: line.credits };
}

function kindOfLine({ rung, options }: Pick<ActivityLine, 'rung' | 'options'>): Kind {
  const { render_js: renderJs = false, premium_proxy: premiumProxy = false } = options;
  return rung ?? kindOf({ renderJs, premiumProxy });
}

/** A line, as returned to its organization. */
export function viewOf(line: ActivityLine): ActivityView {
  const {
    time,
    type,
    call = type,
    id,
    keyId,
    url,
    host,
    options,
    targetStatus,
    verdict,
    code,
    credits,
    reason,
    ms,
  } = line;
  return {
    time: time.toISOString(),
    type: call,
    ...(type === 'job' ? { job_id: id } : { request_id: id }),
    key_id: keyId,
    url,
    host,
    options,
    ...(targetStatus !== undefined && { target_status: targetStatus }),
    ...(verdict && { verdict: verdict.kind, ...(verdict.by && { verdict_by: verdict.by }) }),
    ...(code && { code }),
    ...(line.modeTried !== undefined && { mode_tried: line.modeTried }),
    ...(line.cache && { cache: line.cache }),
    credits,
    reason,
    ms,
  };
}

/** The URL without its query, and the options that hold no secret. */
export function about(request: ScrapeRequest): Pick<ActivityLine, 'url' | 'host' | 'options'> {
  const { origin, pathname, host } = new URL(request.url);
  const whole = `${origin}${pathname}`;
  const url = whole.length > MAX_URL ? `${whole.slice(0, MAX_URL)}${CUT}` : whole;
  return { url, host, options: RecordedFields.parse(snakeKeys(request)) };
}

/** Whether a line has only the beginning of its URL. A URL itself never ends so. */
export const isCut = ({ url }: Pick<ActivityView, 'url'>): boolean => url.endsWith(CUT);
