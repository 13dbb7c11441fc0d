import type { Screenshot } from '../../../shared/contract/scrape/picture.ts';
import { AppError } from '../../../shared/errors.ts';
import { type Found, find, InvalidSelector } from '../page/find.ts';
import { type Area, type CapturedArea, takePicture } from './take-picture.ts';
import type { Studio } from './studio.ts';
import { seeAll, whileLoading } from './whole-page.ts';

/** Throws `not_convertible` if no visible element matches its selector, or the picture is too large. */
export async function takeScreenshot(
  studio: Studio,
  wanted: Screenshot,
  scale: number,
): Promise<CapturedArea> {
  const { view } = studio;
  await view('ignoreResize');
  const area =
    wanted.selector === undefined ? await areaOfPage(studio, wanted) : await areaOf(studio, wanted.selector);
  const taken = await takePicture(studio, wanted, area && { ...area, scale });
  await view('raiseBars');
  return taken;
}

async function areaOfPage(
  studio: Studio,
  { full_page: isWhole = false }: Screenshot,
): Promise<Area | undefined> {
  if (!isWhole) {
    await whileLoading(studio);
    await studio.view('stopAnimations');
    return undefined;
  }
  await seeAll(studio);
  // First: what moves may make the page larger than it is at rest.
  await studio.view('stopAnimations');
  const { width, height } = await studio.view('extent');
  await studio.view('lowerBars', height);
  return { x: 0, y: 0, width, height };
}

/** From the top of the page, where no head covers the element. */
async function areaOf(studio: Studio, selector: string): Promise<Area> {
  const before = await found(studio, selector);
  await studio.send('DOM.scrollIntoViewIfNeeded', { objectId: before.objectId }).catch(() => undefined);
  await studio.pace.sleep(100);
  await whileLoading(studio);
  await studio.view('scrollDown', 0);
  await studio.pace.sleep(100);
  await studio.view('stopAnimations');
  const area = await boxOf(studio, await found(studio, selector));
  if (!area) throw noElement(selector);
  return area;
}

async function found(studio: Studio, selector: string): Promise<Found> {
  try {
    const element = await find(studio, selector);
    if (element) return element;
  } catch (error) {
    if (!(error instanceof InvalidSelector)) throw error;
    const message = `Invalid value for 'screenshot.selector': ${error.message}.`;
    throw new AppError('invalid_request', { message, fields: { param: 'screenshot.selector' } });
  }
  throw noElement(selector);
}

/** Undefined if nothing of it is on the page. */
async function boxOf({ send }: Studio, { objectId }: Found): Promise<Area | undefined> {
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
