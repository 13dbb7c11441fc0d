import type { RenderRequest } from '../../shared/contract/messages.ts';
import type { Page, RenderState } from '../../shared/contract/page.ts';
import type { Trail } from '../../shared/observe/trail.ts';
import { firstAborted } from '../../shared/time/first-aborted.ts';
import type { Performance } from './actions/performance.ts';
import type { OpenPage } from './open-page.ts';
import { picturesOf } from './pictures/pictures-of.ts';
import { readPage } from './read-page.ts';
import { isAwake } from './ready/is-awake.ts';
import { untilReady } from './ready/until-ready.ts';
import type { Waits } from './ready/wait-until-ready.ts';
import type { RenderTime } from './render-time.ts';

/** Waits until the page is ready, does what a scenario says, and reads the page, until `whole` aborts. */
export async function renderedPage(
  request: RenderRequest,
  { network, frame, page, performance }: OpenPage,
  { waits: waiting, lastMs, whole }: Pick<RenderTime, 'waits' | 'lastMs'> & { whole: AbortSignal },
  trail: Trail,
): Promise<Page> {
  const { activity, browser } = page;
  const takePictures = picturesOf(request, page, network, whole);
  const patience = firstAborted(whole, waiting, activity.overgrown);
  // A script that never ends would keep the page from being read.
  const wake = () =>
    whole.aborted ? undefined : isAwake(browser.tab.session, lastMs).catch(() => undefined);
  patience.addEventListener('abort', () => void wake());
  const ready = (waits: Waits) => untilReady(waits, { page, frame }, { patience, whole }, trail);
  const state = await act(request, performance, ready, patience);
  return readPage(state, () => ready(afterwards(request)), { page, frame, takePictures, trail });
}

/** The first wait has all conditions of the request; later ones are for what a scenario or navigation did. */
const afterwards = ({ waitUntil }: Waits): Waits => ({ waitUntil, waitFor: undefined, wait: 0 });

async function act(
  request: RenderRequest,
  performance: Performance | undefined,
  ready: (waits: Waits) => Promise<RenderState>,
  patience: AbortSignal,
): Promise<RenderState> {
  const state = await ready(request);
  if (!performance) return state;
  const states = [state, await performance.act(patience), await ready(afterwards(request))];
  return states.includes('partial') ? 'partial' : 'complete';
}
