import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { matchesGlob } from '../page/glob.ts';
import type { Hands } from './hands.ts';
import { patiently } from './patience.ts';

export async function waitForResponse(hands: Hands, step: StepOf<'wait_for_response'>): Promise<void> {
  await patiently(hands, step, () =>
    Promise.resolve(
      hands.sightings.responses().some((url) => matchesGlob(url, step.url))
        ? { found: true }
        : { missing: `no response came from '${step.url}'` },
    ),
  );
}
