import type { Protocol } from 'puppeteer-core';
import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import type { Hands } from './hands.ts';
import { type Point, readyPoint } from './ready-to-act.ts';

const LEFT = { button: 'left', buttons: 1, clickCount: 1 } as const;
/** A drag of one move is no drag for some sliders. */
const MOVES = 8;

type Event = Omit<Protocol.Input.DispatchMouseEventRequest, 'type'>;

export async function click(hands: Hands, step: StepOf<'click' | 'wait_for_and_click'>): Promise<void> {
  await clickAt(hands, await readyPoint(hands, step));
}

export async function hover(hands: Hands, step: StepOf<'hover'>): Promise<void> {
  await moveTo(hands, await readyPoint(hands, step));
}

export async function drag(hands: Hands, step: StepOf<'drag'>): Promise<void> {
  const from = await readyPoint(hands, step);
  const to = { x: from.x + (step.by_x ?? 0), y: from.y + (step.by_y ?? 0) };
  await moveTo(hands, from);
  await dispatch(hands, 'mousePressed', { x: from.x, y: from.y, ...LEFT });
  for (let move = 1; move <= MOVES; move += 1) {
    const [x, y] = [from.x + ((to.x - from.x) * move) / MOVES, from.y + ((to.y - from.y) * move) / MOVES];
    await dispatch(hands, 'mouseMoved', { x, y, button: 'left', buttons: 1 });
  }
  await dispatch(hands, 'mouseReleased', { ...to, ...LEFT, buttons: 0 });
}

export async function clickAt(hands: Hands, { x, y }: Point): Promise<void> {
  await moveTo(hands, { x, y });
  await dispatch(hands, 'mousePressed', { x, y, ...LEFT });
  await dispatch(hands, 'mouseReleased', { x, y, ...LEFT, buttons: 0 });
}

async function moveTo(hands: Hands, { x, y }: Point): Promise<void> {
  await dispatch(hands, 'mouseMoved', { x, y });
}

/** Chromium confirms some events only with a frame. */
async function dispatch(
  { pace, send }: Hands,
  type: Protocol.Input.DispatchMouseEventRequest['type'],
  event: Event,
) {
  await pace.during(send('Input.dispatchMouseEvent', { type, ...event }));
}
