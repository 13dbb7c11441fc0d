import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { inPage } from './evaluate.ts';
import { matchesGlob } from '../page/glob.ts';
import type { Hands } from './hands.ts';
import { patiently } from './patience.ts';

export async function waitForUrl(hands: Hands, step: StepOf<'wait_for_url'>): Promise<void> {
  await patiently(hands, step, async () => {
    const url = String(await inPage(hands, 'location.href'));
    return matchesGlob(url, step.url) ? { found: url } : { missing: `the URL does not match '${step.url}'` };
  });
}
