import { userAgentOf } from '../../../shared/egress/chrome-identity.ts';

export const WINDOW = { width: 1920, height: 1080 };

/**
 * Chromium in one process, as it starts in Lambda's sandbox, or with a process for each renderer. In one process there
 * is one browser context, and no frame has a process of its own.
 */
export type Processes = 'one' | 'many';

export type FlagOptions = {
  proxyUrl: string;
  /** The folder of the browser's profile. */
  profile: string;
  processes: Processes;
};

/** Not one request may go around the proxy. */
const egress = (proxyUrl: string) => [
  `--proxy-server=${proxyUrl}`,
  // Without it loopback and link-local go direct: https://chromium.googlesource.com/chromium/src/+/HEAD/net/docs/proxy.md
  '--proxy-bypass-list=<-loopback>',
  // STUN and TURN speak UDP, which no proxy sees.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  // The browser itself resolves nothing: names are the proxy's affair.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--dns-prefetch-disable',
  '--no-pings',
];

/** Nothing that a browser does of its own accord. */
const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-breakpad',
  '--disable-sync',
  '--disable-default-apps',
  '--disable-extensions',
  '--no-first-run',
  '--mute-audio',
  // What a page stores is over with the browser: none of it goes to the disk.
  '--incognito',
];

/** Lambda has no user namespaces, no /dev/shm and no GPU. */
const LAMBDA = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--in-process-gpu',
  // Without a sandbox a process of its own keeps nothing apart: it would have the same user id.
  '--enable-features=NetworkServiceInProcess2',
];

/** A mouse, which headless lacks: https://chromium.googlesource.com/chromium/src/+/HEAD/ui/base/pointer/pointer_device.h */
const MOUSE = 'primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2';

/** Frames are drawn when the page's clock says so: https://goo.gle/chrome-headless-rendering */
export const FRAMES_ON_DEMAND = [
  '--enable-begin-frame-control',
  '--run-all-compositor-stages-before-draw',
  '--disable-new-content-rendering-timeout',
  '--disable-threaded-animation',
  '--disable-threaded-scrolling',
  '--disable-checker-imaging',
];

const PAGE = [
  `--blink-settings=${MOUSE}`,
  `--window-size=${WINDOW.width},${WINDOW.height}`,
  `--user-agent=${userAgentOf('desktop')}`,
  '--accept-lang=en-US,en',
  // Shared workers have it from here, and would tell the system's.
  '--lang=en-US',
  '--hide-scrollbars',
  '--font-render-hinting=none',
  // window.open, target=_blank and their kin open nothing.
  '--block-new-web-contents',
  // navigator.webdriver is false, as in a browser that a person drives.
  '--disable-blink-features=AutomationControlled',
];

/** The command line of Chromium: our own list, whole. */
export function chromiumFlags({ proxyUrl, profile, processes }: FlagOptions): string[] {
  return [
    '--headless',
    `--user-data-dir=${profile}`,
    ...egress(proxyUrl),
    ...QUIET,
    ...LAMBDA,
    ...(processes === 'one' ? ['--single-process'] : []),
    ...FRAMES_ON_DEMAND,
    ...PAGE,
    'about:blank',
  ];
}
