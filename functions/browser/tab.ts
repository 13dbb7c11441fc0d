import type { CDPSession } from 'puppeteer-core';
import type { Device } from '../../shared/contract/scrape-request.ts';

/** What a browser presents itself as. */
export type Guise = { device: Device; userAgent?: string | undefined };

/** The one page of a browser. */
export type Tab = {
  session: CDPSession;
  /** Its children are the browser's service workers and shared workers. */
  shared: CDPSession;
  mainFrame: string;
  /** Presents the page, and all that it starts from now on, in this guise. It is a desktop until then. */
  emulate: (guise: Guise) => Promise<void>;
  /** Frames of other sites load pictures, media and fonts from now on. They do not until then. */
  letFramesLoad: () => void;
};
