import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { find, isShown, stateOf } from '../page/find.ts';
import { matchesGlob } from '../page/matches-glob.ts';
import { evaluateIsolated } from '../page/isolated-worlds.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { pollUntil } from './poll-until.ts';

export const wait = ({ pageTime }: ScenarioContext, { ms }: StepOf<'wait'>): Promise<void> =>
  pageTime.pass(ms);

export async function waitFor(context: ScenarioContext, step: StepOf<'wait_for'>): Promise<void> {
  const { selector } = step;
  await pollUntil(context, step, async () => {
    const found = await find(context, selector);
    if (!found) return { missing: `no element matches '${selector}'` };
    return (await stateOf(context, found)).isVisible
      ? { found }
      : { missing: `'${selector}' is not visible` };
  });
}

export async function waitForText(context: ScenarioContext, step: StepOf<'wait_for_text'>): Promise<void> {
  await pollUntil(context, step, async () =>
    (await isShown(context, [{ kind: 'text', value: step.text }]))
      ? { found: true }
      : { missing: 'the text is not on the page' },
  );
}

export async function waitForUrl(context: ScenarioContext, step: StepOf<'wait_for_url'>): Promise<void> {
  await pollUntil(context, step, async () => {
    const url = String(await evaluateIsolated(context, 'location.href'));
    return matchesGlob(url, step.url) ? { found: url } : { missing: `the URL does not match '${step.url}'` };
  });
}

export async function waitForResponse(
  context: ScenarioContext,
  step: StepOf<'wait_for_response'>,
): Promise<void> {
  await pollUntil(context, step, () =>
    Promise.resolve(
      context.pageEvents.responses().some((url) => matchesGlob(url, step.url))
        ? { found: true }
        : { missing: `no response came from '${step.url}'` },
    ),
  );
}

export async function waitForNavigation(
  context: ScenarioContext,
  step: StepOf<'wait_for_navigation'>,
): Promise<void> {
  const { pageEvents, activity } = context;
  await pollUntil(context, step, () => {
    const isThere = pageEvents.documents() > 0 && !activity.isNavigating() && activity.isParsed();
    return Promise.resolve(isThere ? { found: true } : { missing: 'the page did not navigate' });
  });
}

const FRAME_MS = 16;
/** Chromium has this long to begin a navigation that the page wants; a mail program's link begins none. */
const BEGIN_MS = 1_000;
const ARRIVE_MS = 30_000;

/** Lets the page react to an act: two frames, and the document that it navigates to. */
export async function follow({ pageTime, activity, pageEvents, signal }: ScenarioContext): Promise<void> {
  const before = activity.documents();
  await pageTime.pass(FRAME_MS);
  await pageTime.pass(FRAME_MS);
  const hasBegun = () =>
    activity.isNavigating() || activity.documents() !== before || pageEvents.documentsNow() > 0;
  if (pageEvents.isLeaving()) await within(BEGIN_MS, hasBegun);
  if (activity.isNavigating() || pageEvents.documentsNow() > 0)
    await within(ARRIVE_MS, () => !activity.isNavigating() && activity.isParsed());

  async function within(ms: number, condition: () => boolean): Promise<void> {
    using limit = deadline(ms, signal);
    await pageTime.during(activity.until(condition, limit.signal)).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
  }
}
