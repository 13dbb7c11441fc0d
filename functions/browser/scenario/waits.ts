import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { find, isShown, stateOf } from '../page/find.ts';
import { matchesGlob } from '../page/glob.ts';
import { inPage } from './evaluate.ts';
import type { Hands } from './hands.ts';
import { patiently } from './patience.ts';

export const wait = ({ pace }: Hands, { ms }: StepOf<'wait'>): Promise<void> => pace.pass(ms);

export async function waitFor(hands: Hands, step: StepOf<'wait_for'>): Promise<void> {
  const { selector } = step;
  await patiently(hands, step, async () => {
    const found = await find(hands, selector);
    if (!found) return { missing: `no element matches '${selector}'` };
    return (await stateOf(hands, found)).isVisible ? { found } : { missing: `'${selector}' is not visible` };
  });
}

export async function waitForText(hands: Hands, step: StepOf<'wait_for_text'>): Promise<void> {
  await patiently(hands, step, async () =>
    (await isShown(hands, [{ kind: 'text', value: step.text }]))
      ? { found: true }
      : { missing: 'the text is not on the page' },
  );
}

export async function waitForUrl(hands: Hands, step: StepOf<'wait_for_url'>): Promise<void> {
  await patiently(hands, step, async () => {
    const url = String(await inPage(hands, 'location.href'));
    return matchesGlob(url, step.url) ? { found: url } : { missing: `the URL does not match '${step.url}'` };
  });
}

export async function waitForResponse(hands: Hands, step: StepOf<'wait_for_response'>): Promise<void> {
  await patiently(hands, step, () =>
    Promise.resolve(
      hands.sightings.responses().some((url) => matchesGlob(url, step.url))
        ? { found: true }
        : { missing: `no response came from '${step.url}'` },
    ),
  );
}

export async function waitForNavigation(hands: Hands, step: StepOf<'wait_for_navigation'>): Promise<void> {
  const { sightings, activity } = hands;
  await patiently(hands, step, () => {
    const isThere = sightings.documents() > 0 && !activity.isNavigating() && activity.isParsed();
    return Promise.resolve(isThere ? { found: true } : { missing: 'the page did not navigate' });
  });
}

const FRAME_MS = 16;
/** Chromium has this long to begin a navigation that the page wants; a mail program's link begins none. */
const BEGIN_MS = 1_000;
const ARRIVE_MS = 30_000;

/** Lets the page react to an act: two frames, and the document that it navigates to. */
export async function follow({ pace, activity, sightings, signal }: Hands): Promise<void> {
  const before = activity.documents();
  await pace.pass(FRAME_MS);
  await pace.pass(FRAME_MS);
  const hasBegun = () =>
    activity.isNavigating() || activity.documents() !== before || sightings.documentsNow() > 0;
  if (sightings.isLeaving()) await within(BEGIN_MS, hasBegun);
  if (activity.isNavigating() || sightings.documentsNow() > 0)
    await within(ARRIVE_MS, () => !activity.isNavigating() && activity.isParsed());

  async function within(ms: number, condition: () => boolean): Promise<void> {
    using limit = deadline(ms, signal);
    await pace.during(activity.until(condition, limit.signal)).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
  }
}
