import type { Protocol } from 'puppeteer-core';
import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { type Point, actionablePoint } from './actionability.ts';

const LEFT = { button: 'left', buttons: 1, clickCount: 1 } as const;
/** A drag of one move is no drag for some sliders. */
const MOVES = 8;

type Event = Omit<Protocol.Input.DispatchMouseEventRequest, 'type'>;

export async function click(
  context: ScenarioContext,
  step: StepOf<'click' | 'wait_for_and_click'>,
): Promise<void> {
  await clickAt(context, await actionablePoint(context, step));
}

export async function hover(context: ScenarioContext, step: StepOf<'hover'>): Promise<void> {
  await moveTo(context, await actionablePoint(context, step));
}

export async function drag(context: ScenarioContext, step: StepOf<'drag'>): Promise<void> {
  const from = await actionablePoint(context, step);
  const to = { x: from.x + (step.by_x ?? 0), y: from.y + (step.by_y ?? 0) };
  await moveTo(context, from);
  await dispatch(context, 'mousePressed', { x: from.x, y: from.y, ...LEFT });
  for (let move = 1; move <= MOVES; move += 1) {
    const [x, y] = [from.x + ((to.x - from.x) * move) / MOVES, from.y + ((to.y - from.y) * move) / MOVES];
    await dispatch(context, 'mouseMoved', { x, y, button: 'left', buttons: 1 });
  }
  await dispatch(context, 'mouseReleased', { ...to, ...LEFT, buttons: 0 });
}

export async function clickAt(context: ScenarioContext, { x, y }: Point): Promise<void> {
  await moveTo(context, { x, y });
  await dispatch(context, 'mousePressed', { x, y, ...LEFT });
  await dispatch(context, 'mouseReleased', { x, y, ...LEFT, buttons: 0 });
}

async function moveTo(context: ScenarioContext, { x, y }: Point): Promise<void> {
  await dispatch(context, 'mouseMoved', { x, y });
}

/** Chromium confirms some events only with a frame. */
async function dispatch(
  { pageTime, send }: ScenarioContext,
  type: Protocol.Input.DispatchMouseEventRequest['type'],
  event: Event,
) {
  await pageTime.during(send('Input.dispatchMouseEvent', { type, ...event }));
}
