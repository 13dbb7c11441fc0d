import type { StepReport } from '../../../shared/contract/scrape/js-scenario.ts';
import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { viewOf } from '../capture/studio.ts';
import { takePicture } from '../capture/take-picture.ts';
import { whileLoading } from '../capture/whole-page.ts';
import type { Hands } from './hands.ts';

/** A picture of the viewport as it is. The page goes on as if there had been none. */
export async function screenshot(
  hands: Hands,
  { name, type, quality }: StepOf<'screenshot'>,
): Promise<StepReport['screenshot']> {
  const { pace, draw } = hands;
  await whileLoading({ view: viewOf(hands), pace, isFetching: () => false });
  const { body, ...about } = await takePicture({ draw }, { type, quality });
  return { name, ...about, base64: Buffer.from(body).toString('base64') };
}
