import { userAgentOf } from '../../../shared/egress/chrome-identity.ts';
import { WINDOW } from '../page/emulate-device.ts';

/** In one process, as Lambda's sandbox requires, there is one browser context. */
export type Processes = 'one' | 'many';

export type FlagOptions = {
  proxyUrl: string;
  profile: string;
  processes: Processes;
};

const egress = (proxyUrl: string) => [
  `--proxy-server=${proxyUrl}`,
  // Loopback and link-local bypass a proxy: https://chromium.googlesource.com/chromium/src/+/HEAD/net/docs/proxy.md
  '--proxy-bypass-list=<-loopback>',
  // STUN and TURN use UDP, which bypasses the proxy.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--dns-prefetch-disable',
  // WebRTC hides addresses behind names of multicast DNS, which it registers and resolves past the proxy.
  '--disable-features=WebRtcHideLocalIpsWithMdns',
  '--no-pings',
];

/** Switches off the browser's own requests. */
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
  // Keeps what pages store off the disk.
  '--incognito',
];

/** Lambda has no user namespaces, no /dev/shm and no GPU. */
const LAMBDA = [
  '--no-sandbox',
  '--no-zygote',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--in-process-gpu',
  // Without a sandbox, a network process of its own would have the same user id and isolate nothing.
  '--enable-features=NetworkServiceInProcess2',
];

/** Headless Chromium has no mouse: https://chromium.googlesource.com/chromium/src/+/HEAD/ui/base/pointer/pointer_device.h */
const MOUSE = 'primaryPointerType=4,availablePointerTypes=4,primaryHoverType=2,availableHoverTypes=2';

/** Lets the page's clock decide when frames are drawn: https://goo.gle/chrome-headless-rendering */
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
  // Shared workers take their language from here.
  '--lang=en-US',
  '--hide-scrollbars',
  '--font-render-hinting=none',
  '--block-new-web-contents',
  '--disable-blink-features=AutomationControlled',
];

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
  ];
}
