import { COVER, call, find, type Found, stateOf, type ElementState, targetOf } from '../page/find.ts';
import type { Hands } from './hands.ts';
import { type Look, patiently } from './patience.ts';
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
export function readyElement(hands: Hands, wanted: Wanted): Promise<Ready> {
  return patiently(hands, wanted, () => look(hands, wanted));
}

/** Waits for the same, and until nothing covers the place where a mouse would act on it. */
export function readyPoint(hands: Hands, wanted: Wanted): Promise<Ready & Point> {
  return patiently(hands, wanted, async () => {
    const seen = await look(hands, wanted);
    if ('missing' in seen) return seen;
    const point = await pointOn(hands, seen.found, wanted);
    if (!point) return { missing: `'${wanted.selector}' has no place in the window` };
    const cover = await coverAt(hands, seen.found, point);
    if (cover !== '') return { missing: `'${wanted.selector}' is covered by ${cover}` };
    return { found: { ...seen.found, ...point } };
  });
}

async function look(hands: Hands, { selector }: Wanted): Promise<Look<Ready>> {
  const matching = await find(hands, selector);
  if (!matching) return { missing: `no element matches '${selector}'` };
  const found = await targetOf(hands, matching);
  const first = await stateOf(hands, found);
  if (first.isFile) throw new StepFailure(`'${selector}' is a file input, and there are no files to choose`);
  if (!first.isVisible) return { missing: `'${selector}' is not visible` };
  if (!first.isEnabled) return { missing: `'${selector}' is disabled` };
  await hands.send('DOM.scrollIntoViewIfNeeded', { objectId: found.objectId });
  let state = await stateOf(hands, found);
  for (let frame = 0; frame < STABLE_FRAMES; frame += 1) {
    await hands.pace.pass(FRAME_MS);
    const next = await stateOf(hands, found);
    if (!next.isConnected) return { missing: `'${selector}' was replaced` };
    if (next.box !== state.box) return { missing: `'${selector}' is moving` };
    state = next;
  }
  return { found: { ...found, state } };
}

async function pointOn(hands: Hands, { objectId }: Found, { x, y }: Wanted): Promise<Point | undefined> {
  const { quads } = await hands.send('DOM.getContentQuads', { objectId });
  const boxes = quads.map(boxOf).filter(({ width, height }) => width >= 1 && height >= 1);
  const [box] = boxes;
  if (!box) return undefined;
  const point = { x: box.left + (x ?? box.width / 2), y: box.top + (y ?? box.height / 2) };
  const { cssVisualViewport: view } = await hands.send('Page.getLayoutMetrics');
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
async function coverAt(hands: Hands, found: Found, { x, y }: Point): Promise<string> {
  const { cssVisualViewport: view } = await hands.send('Page.getLayoutMetrics');
  // In coordinates of the document, unlike quads.
  const place = { x: Math.round(x + view.pageX), y: Math.round(y + view.pageY) };
  const { backendNodeId } = await hands.send('DOM.getNodeForLocation', place);
  const executionContextId = await hands.worlds.of(found.frameId);
  const hit = await hands
    .send('DOM.resolveNode', { backendNodeId, executionContextId })
    .catch(() => undefined);
  if (hit?.object.objectId === undefined) return 'something in another frame';
  return call<string>(hands, found, COVER, { objectId: hit.object.objectId });
}
