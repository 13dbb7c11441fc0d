import { COVER, call, find, type Found, stateOf, type ElementState, targetOf } from '../page/find.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { type Poll, pollUntil } from './poll-until.ts';
import { StepFailure } from './step-failure.ts';

type Wanted = {
  selector: string;
  timeout?: number | undefined;
  x?: number | undefined;
  y?: number | undefined;
};
export type Ready = Found & { state: ElementState };
export type Point = { x: number; y: number };

/** Two frames without a change of its box. */
const STABLE_FRAMES = 2;
const FRAME_MS = 16;

/** Waits until an element is attached, visible, enabled and stable, and scrolls it into view. */
export function actionableElement(context: ScenarioContext, wanted: Wanted): Promise<Ready> {
  return pollUntil(context, wanted, () => inspect(context, wanted));
}

/** Waits for the same, and until nothing covers the place where a mouse would act on it. */
export function actionablePoint(context: ScenarioContext, wanted: Wanted): Promise<Ready & Point> {
  return pollUntil(context, wanted, async () => {
    const seen = await inspect(context, wanted);
    if ('missing' in seen) return seen;
    const point = await pointOn(context, seen.found, wanted);
    if (!point) return { missing: `'${wanted.selector}' has no place in the window` };
    const cover = await coverAt(context, seen.found, point);
    if (cover !== '') return { missing: `'${wanted.selector}' is covered by ${cover}` };
    return { found: { ...seen.found, ...point } };
  });
}

async function inspect(context: ScenarioContext, { selector }: Wanted): Promise<Poll<Ready>> {
  const matching = await find(context, selector);
  if (!matching) return { missing: `no element matches '${selector}'` };
  const found = await targetOf(context, matching);
  const first = await stateOf(context, found);
  if (first.isFile) throw new StepFailure(`'${selector}' is a file input, and there are no files to choose`);
  if (!first.isVisible) return { missing: `'${selector}' is not visible` };
  if (!first.isEnabled) return { missing: `'${selector}' is disabled` };
  await context.send('DOM.scrollIntoViewIfNeeded', { objectId: found.objectId });
  let state = await stateOf(context, found);
  for (let frame = 0; frame < STABLE_FRAMES; frame += 1) {
    await context.pageTime.pass(FRAME_MS);
    const next = await stateOf(context, found);
    if (!next.isConnected) return { missing: `'${selector}' was replaced` };
    if (next.box !== state.box) return { missing: `'${selector}' is moving` };
    state = next;
  }
  return { found: { ...found, state } };
}

async function pointOn(
  context: ScenarioContext,
  { objectId }: Found,
  { x, y }: Wanted,
): Promise<Point | undefined> {
  const { quads } = await context.send('DOM.getContentQuads', { objectId });
  const boxes = quads.map(boxOf).filter(({ width, height }) => width >= 1 && height >= 1);
  const [box] = boxes;
  if (!box) return undefined;
  const point = { x: box.left + (x ?? box.width / 2), y: box.top + (y ?? box.height / 2) };
  const { cssVisualViewport: view } = await context.send('Page.getLayoutMetrics');
  const isInView = point.x >= 0 && point.y >= 0 && point.x < view.clientWidth && point.y < view.clientHeight;
  return isInView ? point : undefined;
}

function boxOf(quad: readonly number[]) {
  const xs = quad.filter((_, index) => index % 2 === 0);
  const ys = quad.filter((_, index) => index % 2 === 1);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { left, top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

/** What a click at the point would hit instead, or nothing. */
async function coverAt(context: ScenarioContext, found: Found, { x, y }: Point): Promise<string> {
  const { cssVisualViewport: view } = await context.send('Page.getLayoutMetrics');
  // In coordinates of the document, unlike quads.
  const place = { x: Math.round(x + view.pageX), y: Math.round(y + view.pageY) };
  const { backendNodeId } = await context.send('DOM.getNodeForLocation', place);
  const executionContextId = await context.worlds.of(found.frameId);
  const hit = await context
    .send('DOM.resolveNode', { backendNodeId, executionContextId })
    .catch(() => undefined);
  if (hit?.object.objectId === undefined) return 'something in another frame';
  return call<string>(context, found, COVER, { objectId: hit.object.objectId });
}
