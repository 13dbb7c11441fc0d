import type { RenderRequest } from '../../shared/contract/scrape/messages.ts';
import { AppError } from '../../shared/errors.ts';
import type { Guard } from '../../shared/egress/guard.ts';
import { openPerformance, type Performance } from './scenario/performance.ts';
import type { Chromium } from './launch/launch-chromium.ts';
import { answerPauses } from './page/answer-pauses.ts';
import { type Capture, openCapture } from './capture/capture-responses.ts';
import { followMainFrame, type MainFrame } from './page/main-frame.ts';
import { type Network, openNetwork } from './page/network.ts';
import { openSentBody, type SentBody } from './capture/sent-body.ts';
import { documentReader } from './page/document-reader.ts';
import { pageClock } from './clock/page-clock.ts';
import type { LoadedPage } from './readiness/wait-until-ready.ts';
import { watchActivity } from './readiness/watch-activity.ts';
import { watchFlow } from './clock/watch-flow.ts';

/** The page of a request, and what watches it. */
export type OpenPage = {
  network: Network;
  frame: MainFrame;
  page: LoadedPage;
  performance: Performance | undefined;
  capture: Capture | undefined;
  sentBody: SentBody | undefined;
  crashed: () => void;
};

/** Nothing is sent to the browser yet. */
export function openPage(
  request: RenderRequest,
  browser: Chromium,
  guard: Pick<Guard, 'faultOf' | 'phaseOf' | 'isTruncated'>,
): OpenPage {
  const { session } = browser.tab;
  const network = openNetwork(browser.tab);
  const frame = followMainFrame(browser.tab, network, guard);
  const activity = watchActivity(network);
  const reader = documentReader(browser.tab, network);
  const page = { clock: pageClock(browser.tab, watchFlow(network)), activity, reader, browser };
  const performance = openPerformance(request, page, network, frame);
  const capture = openCapture(browser.tab, request.capture);
  const sentBody = openSentBody(session, network, request.jsScenario);
  answerPauses(browser.tab, network, frame, request);
  const crashed = () => frame.fail(new AppError('browser_crashed'));
  browser.gone.addEventListener('abort', crashed, { once: true });
  session.on('Inspector.targetCrashed', crashed);
  return { network, frame, page, performance, capture, sentBody, crashed };
}
