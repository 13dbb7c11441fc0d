import { setTimeout } from 'node:timers/promises';
import type { Moment } from '../clock/page-clock.ts';
import { FRAME_MS } from '../clock/page-frames.ts';
import type { Settling } from './settling.ts';

/** Runs what is due: at wall-clock pace for `ms`, if any. A page that draws for ever gets no frame here. */
export async function tick(it: Settling, from: Moment, ms: number): Promise<Moment> {
  const { clock, activity, limit, frames } = it;
  if (ms > 0 && frames.areLeft()) {
    await clock.during(setTimeout(Math.min(FRAME_MS, ms)));
    return clock.moment();
  }
  if (ms > 0) await setTimeout(Math.min(FRAME_MS, ms));
  const now = await clock.skip(from, FRAME_MS, activity.isFetching, limit);
  if (!frames.areLeft()) return now;
  await clock.frame();
  return clock.moment();
}
