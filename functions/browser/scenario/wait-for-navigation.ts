import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import type { Hands } from './hands.ts';
import { patiently } from './patience.ts';

export async function waitForNavigation(hands: Hands, step: StepOf<'wait_for_navigation'>): Promise<void> {
  const { sightings, activity } = hands;
  await patiently(hands, step, () => {
    const isThere = sightings.documents() > 0 && !activity.isNavigating() && activity.isParsed();
    return Promise.resolve(isThere ? { found: true } : { missing: 'the page did not navigate' });
  });
}
