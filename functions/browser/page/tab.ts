import type { CDPSession } from 'puppeteer-core';
import type { Device } from '../../../shared/contract/scrape/scrape-request.ts';
import type { Workers } from './watch-workers.ts';

export type DeviceProfile = { device: Device; userAgent?: string | undefined };

export type Tab = {
  session: CDPSession;
  /** Its children are service workers and shared workers. */
  shared: CDPSession;
  mainFrame: string;
  workers: Pick<Workers, 'areBusy'>;
  /** Applies to the page and everything it starts from now on. The default is a desktop. */
  emulate: (profile: DeviceProfile) => Promise<void>;
  /** Until then, frames of other sites load no pictures, media or fonts. */
  letFramesLoad: () => void;
  /** Has Chromium keep the bodies of the page's responses, and of what it starts from now on. */
  keepBodies: () => Promise<unknown>;
};
