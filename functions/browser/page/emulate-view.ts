import type { CDPSession, Protocol } from 'puppeteer-core';
import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import { READER_WORLD } from './isolated-worlds.ts';
import { pageScript } from './page-script.ts';
import { MOBILE_SCREEN, WINDOW } from './emulate-device.ts';

type Screen = Protocol.Emulation.SetDeviceMetricsOverrideRequest;
type Wanted = Pick<RenderRequest, 'device' | 'screenshot'>;

/** The viewport that a screenshot is taken of. */
export function screenOf({ device, screenshot = {} }: Wanted): Screen {
  const usual: Screen =
    device === 'mobile' ? MOBILE_SCREEN : { ...WINDOW, deviceScaleFactor: 1, mobile: false };
  const { width = usual.width, height = usual.height, scale = usual.deviceScaleFactor } = screenshot;
  const [screenWidth, screenHeight] = [Math.max(width, usual.width), Math.max(height, usual.height)];
  return { ...usual, width, height, deviceScaleFactor: scale, screenWidth, screenHeight };
}

const RESIZE_GUARD = `${pageScript('view')}.guardResize();`;

/** Before the page loads, so that it chooses its layout and pictures by it. */
export async function emulateView(session: CDPSession, request: Wanted): Promise<void> {
  const { screenshot } = request;
  if (!screenshot) return;
  const features = [{ name: 'prefers-color-scheme', value: 'dark' }];
  await Promise.all([
    session.send('Emulation.setDeviceMetricsOverride', screenOf(request)),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: RESIZE_GUARD, worldName: READER_WORLD }),
    screenshot.dark === true && session.send('Emulation.setEmulatedMedia', { features }),
  ]);
}
