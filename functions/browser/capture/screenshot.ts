import type { Screenshot } from '../../../shared/contract/scrape/picture.ts';
import { AppError } from '../../../shared/errors.ts';
import { type Found, find, InvalidSelector } from '../page/find.ts';
import { type Area, type CapturedArea, takePicture } from './take-picture.ts';
import type { CaptureContext } from './capture-context.ts';
import { scrollThrough, whileLoading } from './whole-page.ts';

/** Throws `not_convertible` if no visible element matches its selector, or the picture is too large. */
export async function takeScreenshot(
  context: CaptureContext,
  wanted: Screenshot,
  scale: number,
): Promise<CapturedArea> {
  const { view } = context;
  await view('ignoreResize');
  const area =
    wanted.selector === undefined
      ? await areaOfPage(context, wanted)
      : await areaOf(context, wanted.selector);
  const taken = await takePicture(context, wanted, area && { ...area, scale });
  await view('raiseBars');
  return taken;
}

async function areaOfPage(
  context: CaptureContext,
  { full_page: isWhole = false }: Screenshot,
): Promise<Area | undefined> {
  if (!isWhole) {
    await whileLoading(context);
    await context.view('stopAnimations');
    return undefined;
  }
  await scrollThrough(context);
  // First: what moves may make the page larger than it is at rest.
  await context.view('stopAnimations');
  const { width, height } = await context.view('extent');
  await context.view('lowerBars', height);
  return { x: 0, y: 0, width, height };
}

/** From the top of the page, where no head covers the element. */
async function areaOf(context: CaptureContext, selector: string): Promise<Area> {
  const before = await found(context, selector);
  await context.send('DOM.scrollIntoViewIfNeeded', { objectId: before.objectId }).catch(() => undefined);
  await context.pageTime.sleep(100);
  await whileLoading(context);
  await context.view('scrollDown', 0);
  await context.pageTime.sleep(100);
  await context.view('stopAnimations');
  const area = await boxOf(context, await found(context, selector));
  if (!area) throw noElement(selector);
  return area;
}

async function found(context: CaptureContext, selector: string): Promise<Found> {
  try {
    const element = await find(context, selector);
    if (element) return element;
  } catch (error) {
    if (!(error instanceof InvalidSelector)) throw error;
    const message = `Invalid value for 'screenshot.selector': ${error.message}.`;
    throw new AppError('invalid_request', { message, fields: { param: 'screenshot.selector' } });
  }
  throw noElement(selector);
}

/** Undefined if nothing of it is on the page. */
async function boxOf({ send }: CaptureContext, { objectId }: Found): Promise<Area | undefined> {
  const box = await send('DOM.getBoxModel', { objectId }).catch(() => undefined);
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0, x4 = 0, y4 = 0] = box?.model.border ?? [];
  const [left, right] = [
    Math.max(0, Math.floor(Math.min(x1, x2, x3, x4))),
    Math.ceil(Math.max(x1, x2, x3, x4)),
  ];
  const [top, bottom] = [
    Math.max(0, Math.floor(Math.min(y1, y2, y3, y4))),
    Math.ceil(Math.max(y1, y2, y3, y4)),
  ];
  if (right <= left || bottom <= top) return undefined;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

function noElement(selector: string): AppError {
  return new AppError('not_convertible', {
    message: `No visible element matches '${selector}', so there is no screenshot of it.`,
    fields: { reason: 'selector' },
  });
}
