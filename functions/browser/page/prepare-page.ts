import { type Browser, type CDPSession, type Protocol, TargetType } from 'puppeteer-core';
import { emulateDevice, WINDOW } from './emulate-device.ts';
import { IDLE_EVENTS, INSTALL_READER } from './document-reader.ts';
import { READER_WORLD } from './isolated-worlds.ts';
import { pageScript } from './page-script.ts';
import { watchWorkers, type Workers } from './watch-workers.ts';
import { answerBlocked, BLOCKED } from './answer-blocked.ts';
import { USUALLY_PAUSED } from './answer-pauses.ts';
import type { DeviceProfile, Tab } from './tab.ts';

/** Runs before a scrape arrives, so that the scrape does not wait for it. */
export async function preparePage(browser: Browser): Promise<Tab> {
  const { page, shared } = await openPage(browser);
  answerDialogs(page);
  const workers = watchWorkers();
  const profile: DeviceProfile = { device: 'desktop' };
  const settings: Settings = { profile, isBlocking: true, buffers: KEEP_LITTLE, workers };
  for (const session of [page, shared])
    session.on('sessionattached', (child) => ignoreGone(prepareChild(child, settings)));
  const [{ frameTree }, { identifier }] = await Promise.all([
    page.send('Page.getFrameTree'),
    addParts(page, profile),
    switchOn(page),
    emulateDevice(page, profile),
    shared.send('Target.setAutoAttach', { ...AUTO_ATTACH, filter: SHARED }),
  ]);
  return {
    session: page,
    shared,
    mainFrame: frameTree.frame.id,
    workers,
    async emulate(profile) {
      settings.profile = profile;
      await Promise.all([
        emulateDevice(page, profile),
        page.send('Page.removeScriptToEvaluateOnNewDocument', { identifier }),
        addParts(page, profile),
      ]);
    },
    letFramesLoad() {
      settings.isBlocking = false;
    },
    keepBodies() {
      settings.buffers = KEEP_BODIES;
      return page.send('Network.enable', KEEP_BODIES);
    },
  };
}

type Buffers = Protocol.Network.EnableRequest;

/** The setup of frames of other sites and of workers. */
type Settings = { profile: DeviceProfile; isBlocking: boolean; buffers: Buffers; workers: Workers };

async function prepareChild(child: CDPSession, settings: Settings): Promise<void> {
  child.on('sessionattached', (grandchild) => ignoreGone(prepareChild(grandchild, settings)));
  child.on('Fetch.requestPaused', (pause) => ignoreGone(answerBlocked(child, pause)));
  await Promise.allSettled([
    emulateDevice(child, settings.profile),
    addParts(child, settings.profile, true),
    settings.workers.watch(child),
    child.send('Network.enable', settings.buffers),
    settings.isBlocking && child.send('Fetch.enable', { patterns: BLOCKED }),
    child.send('Target.setAutoAttach', AUTO_ATTACH),
    child.send('Runtime.runIfWaitingForDebugger'),
  ]);
}

const switchOn = (page: CDPSession) =>
  Promise.all([
    page.send('Page.enable'),
    page.send('Browser.setDownloadBehavior', { behavior: 'deny' }),
    page.send('Inspector.enable'),
    page.send('Network.enable', KEEP_LITTLE),
    page.send('Performance.enable'),
    page.send('Page.addScriptToEvaluateOnNewDocument', { source: INSTALL_READER, worldName: READER_WORLD }),
    page.send('Target.setAutoAttach', { ...AUTO_ATTACH, filter: but(SHARED) }),
    page.send('Fetch.enable', { patterns: USUALLY_PAUSED }),
    // Headless Chromium would report "denied" in one place and "prompt" in another.
    page.send('Browser.setPermission', { permission: { name: 'notifications' }, setting: 'denied' }),
  ]);

/** Accepts "Leave this page?" and dismisses any other dialog. */
function answerDialogs(page: CDPSession): void {
  page.on('Page.javascriptDialogOpening', ({ type }) => {
    ignoreGone(page.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }));
  });
}

/** Frames are drawn on demand only on a page that is created so. */
async function openPage(browser: Browser): Promise<{ page: CDPSession; shared: CDPSession }> {
  const root = await browser.target().createCDPSession();
  await root.send('Target.createTarget', {
    url: 'about:blank',
    enableBeginFrameControl: true,
    ...WINDOW,
  });
  const page = await browser.waitForTarget((target) => target.type() === TargetType.PAGE);
  const [session] = await Promise.all([
    page.createCDPSession(),
    // Puppeteer would start shared workers before their device is set.
    root.connection()?.send('Target.setAutoAttach', { ...AUTO_ATTACH, filter: but(PAGES, SHARED) }),
  ]);
  return { page: session, shared: root };
}

const IDLE_WORK = `${pageScript('idle-work')}.reportIdleWork(${JSON.stringify(IDLE_EVENTS)});`;
const CLOCK = `${pageScript('moving-clock')}.moveClock();`;
const CHROME = pageScript('chrome-object');
const PLUGINS = `${pageScript('plugins')}.addPlugins();`;

/** What headless Chromium lacks. Runs in every frame of the session, including one about to load. */
function addParts(session: CDPSession, { device }: DeviceProfile, runImmediately = false) {
  const isDesktop = device === 'desktop';
  const source = [
    IDLE_WORK,
    CLOCK,
    `${CHROME}.addChrome(${isDesktop});`,
    ...(isDesktop ? [PLUGINS] : []),
  ].join('\n');
  return session.send('Page.addScriptToEvaluateOnNewDocument', { source, runImmediately });
}

/** Bodies are read as they arrive, or not at all, but for the beginnings of small ones. */
const KEEP_LITTLE: Buffers = { maxTotalBufferSize: 500_000, maxResourceBufferSize: 16_000 };

/** Larger than what is kept, to distinguish a large body from a missing one. */
export const KEEP_BODIES = {
  maxTotalBufferSize: 40_000_000,
  maxResourceBufferSize: 4_000_000,
  // A worker that has posted its result often ends at once, and its own copy with it.
  enableDurableMessages: true,
};

/** Frames of other sites and workers have sessions of their own: https://chromedevtools.github.io/devtools-protocol/tot/Target/ */
const AUTO_ATTACH = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };

type Filter = Protocol.Target.FilterEntry[];

/** Workers of the browser rather than of a page: https://chromedevtools.github.io/devtools-protocol/tot/Target/#type-TargetFilter */
const SHARED: Filter = [{ type: 'service_worker' }, { type: 'shared_worker' }];
const PAGES: Filter = [{ type: 'page' }];
const but = (...filters: Filter[]): Filter => [
  ...filters.flat().map((entry) => ({ ...entry, exclude: true })),
  {},
];

/** The frame or dialog no longer exists. */
function ignoreGone(work: Promise<unknown>): void {
  work.catch(() => undefined);
}
