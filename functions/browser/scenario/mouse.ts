import type { Protocol } from 'puppeteer-core';
import type { Hands } from './hands.ts';
import type { Point } from './ready-to-act.ts';

const LEFT = { button: 'left', buttons: 1, clickCount: 1 } as const;
/** A drag of one move is no drag for some sliders. */
const MOVES = 8;

type Event = Omit<Protocol.Input.DispatchMouseEventRequest, 'type'>;

export async function moveTo(hands: Hands, { x, y }: Point): Promise<void> {
  await dispatch(hands, 'mouseMoved', { x, y });
}

export async function clickAt(hands: Hands, { x, y }: Point): Promise<void> {
  await moveTo(hands, { x, y });
  await dispatch(hands, 'mousePressed', { x, y, ...LEFT });
  await dispatch(hands, 'mouseReleased', { x, y, ...LEFT, buttons: 0 });
}

export async function drag(hands: Hands, from: Point, to: Point): Promise<void> {
  await moveTo(hands, from);
  await dispatch(hands, 'mousePressed', { ...from, ...LEFT });
  for (let move = 1; move <= MOVES; move += 1) {
    const [x, y] = [from.x + ((to.x - from.x) * move) / MOVES, from.y + ((to.y - from.y) * move) / MOVES];
    await dispatch(hands, 'mouseMoved', { x, y, button: 'left', buttons: 1 });
  }
  await dispatch(hands, 'mouseReleased', { ...to, ...LEFT, buttons: 0 });
}

/** Chromium confirms some events only with a frame. */
async function dispatch(
  { pace, send }: Hands,
  type: Protocol.Input.DispatchMouseEventRequest['type'],
  event: Event,
) {
  await pace.during(send('Input.dispatchMouseEvent', { type, ...event }));
}
