import { type Browser, type CDPSession, type Protocol, TargetType } from 'puppeteer-core';
import { emulateDevice } from './emulate-device.ts';
import { nativeParts } from './native-parts.ts';
import { WORLD, pageScript } from '../ready/page-script.ts';
import { WINDOW } from '../isolate/chromium-flags.ts';
import { answerBlocked, BLOCKED } from './answer-blocked.ts';
import { USUALLY_PAUSED } from './answer-pauses.ts';
import type { Guise, Tab } from '../tab.ts';

/**
 * A session with the browser's blank page in which all is switched on that a scrape needs. Done before the scrape is
 * there, so that it costs the scrape nothing.
 */
export async function preparePage(browser: Browser): Promise<Tab> {
  const { page, shared } = await openPage(browser);
  page.on('Page.javascriptDialogOpening', ({ type }) => {
    // "Leave this page?" is answered with yes, anything else is waved away.
    ignoreGone(page.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }));
  });
  let guise: Guise = { device: 'desktop' };
  let isBlocking = true;
  const prepareChild = async (child: CDPSession): Promise<void> => {
    child.on('sessionattached', (grandchild) => ignoreGone(prepareChild(grandchild)));
    child.on('Fetch.requestPaused', (pause) => ignoreGone(answerBlocked(child, pause)));
    await Promise.allSettled([
      emulateDevice(child, guise),
      addParts(child, guise, true),
      child.send('Network.enable', KEEP_NOTHING),
      isBlocking && child.send('Fetch.enable', { patterns: BLOCKED }),
      child.send('Target.setAutoAttach', AUTO_ATTACH),
      child.send('Runtime.runIfWaitingForDebugger'),
    ]);
  };
  for (const session of [page, shared])
    session.on('sessionattached', (child) => ignoreGone(prepareChild(child)));
  const [{ frameTree }, parts] = await Promise.all([
    page.send('Page.getFrameTree'),
    addParts(page, guise),
    page.send('Page.enable'),
    emulateDevice(page, guise),
    page.send('Browser.setDownloadBehavior', { behavior: 'deny' }),
    page.send('Inspector.enable'),
    page.send('Network.enable', KEEP_NOTHING),
    page.send('Performance.enable'),
    page.send('Network.setBypassServiceWorker', { bypass: true }),
    page.send('Page.addScriptToEvaluateOnNewDocument', { source: pageScript, worldName: WORLD }),
    page.send('Target.setAutoAttach', { ...AUTO_ATTACH, filter: but(SHARED) }),
    shared.send('Target.setAutoAttach', { ...AUTO_ATTACH, filter: SHARED }),
    page.send('Fetch.enable', { patterns: USUALLY_PAUSED }),
    // Headless, it would say "denied" in one place and "prompt" in another.
    page.send('Browser.setPermission', { permission: { name: 'notifications' }, setting: 'denied' }),
  ]);
  return {
    session: page,
    shared,
    mainFrame: frameTree.frame.id,
    async emulate(to) {
      guise = to;
      const { identifier } = parts;
      await Promise.all([
        emulateDevice(page, to),
        page.send('Page.removeScriptToEvaluateOnNewDocument', { identifier }),
        addParts(page, to),
      ]);
    },
    letFramesLoad() {
      isBlocking = false;
    },
  };
}

/**
 * A page whose frames are drawn when we say so, in place of the one that the browser starts with, and a session with the
 * browser for the workers that pages share.
 */
async function openPage(browser: Browser): Promise<{ page: CDPSession; shared: CDPSession }> {
  const [first, root] = await Promise.all([
    browser.waitForTarget((target) => target.type() === TargetType.PAGE),
    browser.target().createCDPSession(),
  ]);
  await root.send('Target.createTarget', {
    url: 'about:blank',
    enableBeginFrameControl: true,
    ...WINDOW,
  });
  const page = await browser.waitForTarget((target) => target !== first && target.type() === TargetType.PAGE);
  const [session] = await Promise.all([
    page.createCDPSession(),
    (await first.page())?.close(),
    // Puppeteer lets them start as soon as it sees them: before they know in what guise.
    root.connection()?.send('Target.setAutoAttach', { ...AUTO_ATTACH, filter: but(PAGES, SHARED) }),
  ]);
  return { page: session, shared: root };
}

/** In every frame that the session has, and at once in one that is about to begin. A worker has none. */
const addParts = (session: CDPSession, { device }: Guise, runImmediately = false) =>
  session.send('Page.addScriptToEvaluateOnNewDocument', { source: nativeParts(device), runImmediately });

/** Bodies are read on their way, or not at all. */
const KEEP_NOTHING = { maxTotalBufferSize: 0, maxResourceBufferSize: 0 };

/** Frames of other sites and workers have sessions of their own: https://chromedevtools.github.io/devtools-protocol/tot/Target/ */
const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };

type Filter = Protocol.Target.FilterEntry[];

/** Workers that belong to the browser, not to a page: https://chromedevtools.github.io/devtools-protocol/tot/Target/#type-TargetFilter */
const SHARED: Filter = [{ type: 'service_worker' }, { type: 'shared_worker' }];
const PAGES: Filter = [{ type: 'page' }];
const but = (...filters: Filter[]): Filter => [
  ...filters.flat().map((entry) => ({ ...entry, exclude: true })),
  {},
];

/** A frame or dialog that went away meanwhile needs no answer. */
function ignoreGone(work: Promise<unknown>): void {
  work.catch(() => undefined);
}
