import type { ScenarioReport } from '../../shared/contract/scrape/js-scenario.ts';
import type { RenderRequest } from '../../shared/contract/scrape/messages.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { failureOf, whereFailed } from '../../shared/domain/scrape/scenario/failure.ts';
import { withLocation } from '../../shared/domain/scrape/target/with-location.ts';
import { judge } from '../../shared/domain/scrape/verdict/judge.ts';
import type { Guard } from '../../shared/egress/guard.ts';
import { AppError } from '../../shared/errors.ts';
import type { RequestLog } from '../../shared/observe/request-log.ts';
import { deadline } from '../../shared/time/deadline.ts';
import { firstAborted } from '../../shared/time/first-aborted.ts';
import { untilAborted } from '../../shared/time/until-aborted.ts';
import { type Capture, openCapture } from './capture/capture-responses.ts';
import { type SentBody, openSentBody } from './capture/sent-body.ts';
import { pageClock } from './clock/page-clock.ts';
import { watchFlow } from './clock/watch-flow.ts';
import { watchLeaving } from './clock/watch-leaving.ts';
import type { Chromium } from './launch/launch-chromium.ts';
import { answerPauses, pausedFor, USUALLY_PAUSED } from './page/answer-pauses.ts';
import { applyRequest } from './page/apply-request.ts';
import { documentReader } from './page/document-reader.ts';
import { followMainFrame } from './page/main-frame.ts';
import { openNetwork } from './page/network.ts';
import { busyThreads } from './readiness/busy-threads.ts';
import { timelyRequests } from './readiness/timely-requests.ts';
import { watchActivity } from './readiness/watch-activity.ts';
import type { RenderTime } from './render-time.ts';
import { type OpenPage, renderedPage } from './rendered-page.ts';
import { openScenarioRun } from './scenario/scenario-run.ts';

const HTML = 'text/html; charset=utf-8';

/** Throws an AppError: `timeout` when the signal aborts, otherwise the failure of the document. */
export async function render(
  request: RenderRequest,
  browser: Chromium,
  guard: Pick<Guard, 'faultOf' | 'phaseOf' | 'isTruncated' | 'setHostFilter'>,
  { signal, waits, lastMs }: RenderTime,
  requestLog: RequestLog,
): Promise<Page> {
  requestLog.enter('navigation');
  const open = openPage(request, browser, guard);
  const { frame, scenario, capture, sentBody, crashed } = open;
  const ended = new AbortController();
  const whole = firstAborted(signal, ended.signal);
  try {
    const applied = applyRequest(browser.tab, request, guard);
    await untilAborted(Promise.all([applied, capture?.begin(), sentBody?.begin()]), signal);
    frame.go(request.url).catch(crashed);
    const rendered = renderedPage(request, open, { waits, lastMs, whole }, requestLog);
    const got = await untilAborted(Promise.race([frame.outcome, rendered]), signal);
    const reported = scenario?.withReport(got) ?? got;
    const sent = await sentBody?.unlessCharged(reported, frame.document(), request.url);
    return { ...(sent ?? reported), ...(capture && { captured: await capture.all(signal) }) };
  } catch (cause) {
    const fault = new AppError(signal.aborted ? 'timeout' : 'browser_crashed', { cause });
    const known = await explained(cause instanceof AppError ? cause : fault, browser);
    const whole = withLocation(await onPage(known, request, open, signal), frame.reached());
    throw scenario?.reported(whole) ?? whole;
  } finally {
    ended.abort();
  }
}

/** A page has this long to be read once its scenario has failed. */
const LAST_READ_MS = 1_000;

/** A failed scenario says what the target said of the page on which it failed. */
async function onPage(
  fault: AppError,
  { url: requested }: RenderRequest,
  { frame, page }: Pick<OpenPage, 'frame' | 'page'>,
  signal: AbortSignal,
): Promise<AppError> {
  const document = frame.document();
  if (fault.code !== 'scenario_failed' || !document) return fault;
  using limit = deadline(LAST_READ_MS, signal);
  const body = await untilAborted(page.reader.read(), limit.signal).catch(() => undefined);
  const shown = { ...document, body: body ?? new Uint8Array(), contentType: HTML };
  const fields = whereFailed(document, judge(shown, requested), requested);
  const { report, cause } = fault;
  const message = failureOf(report as ScenarioReport, fields);
  return new AppError('scenario_failed', { message, fields, report, cause });
}

/** The log's cause of a crash is how Chromium ended, not the call that this interrupted. */
async function explained(fault: AppError, { gone, end }: Chromium): Promise<AppError> {
  const isEnd = fault.code === 'browser_crashed' && gone.aborted;
  return isEnd ? new AppError('browser_crashed', { cause: await end() }) : fault;
}

type OpenRequest = OpenPage & {
  capture: Capture | undefined;
  sentBody: SentBody | undefined;
  crashed: () => void;
};

/** Nothing is sent to the browser yet. */
function openPage(
  request: RenderRequest,
  browser: Chromium,
  guard: Pick<Guard, 'faultOf' | 'phaseOf' | 'isTruncated'>,
): OpenRequest {
  const { session } = browser.tab;
  const network = openNetwork(browser.tab);
  const frame = followMainFrame(browser.tab, network, guard);
  const activity = watchActivity(network);
  const reader = documentReader(browser.tab, network);
  const isFlowing = watchFlow(network);
  const leaving = watchLeaving(network);
  const threads = busyThreads(browser.pid);
  const clock = pageClock(browser.tab, {
    mayDraw: () => !isFlowing() && !leaving.isUnderWay(),
    isPoolBusy: () => threads() === 'pool',
  });
  const patterns = pausedFor(request) ?? USUALLY_PAUSED;
  const requests = timelyRequests({ tab: browser.tab, network, clock, reader, activity, patterns });
  const page = { clock, activity, reader, requests, browser };
  const scenario = openScenarioRun(request, page, network, frame);
  const capture = openCapture(browser.tab, request.capture);
  const sentBody = openSentBody(session, network, request.jsScenario);
  const leave = (id: string) => leaving.begin(id, clock.lastFrame);
  answerPauses(browser.tab, network, frame, request, { leave, isDue: requests.isDue });
  const crashed = () => frame.fail(new AppError('browser_crashed'));
  browser.gone.addEventListener('abort', crashed, { once: true });
  session.on('Inspector.targetCrashed', crashed);
  return { network, frame, page, scenario, capture, sentBody, crashed };
}
