import type { CDPSession } from 'puppeteer-core';
import type { Device } from '../../shared/contract/scrape-request.ts';

/** The one page of a browser. */
export type Tab = {
  session: CDPSession;
  mainFrame: string;
  /** Presents the page, and all that it starts from now on, as this device. It is a desktop until then. */
  emulate: (device: Device) => Promise<void>;
};
