import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Device } from '../../../shared/contract/scrape-request.ts';
import type { Guise } from '../tab.ts';

/** Of the Chromium we ship. The user agent has the major alone: https://www.chromium.org/updates/ua-reduction/ */
const CHROME_VERSION = '153.0.8010.0';
const CHROME_MAJOR = CHROME_VERSION.replace(/\..*/, '');

/** What Chrome says of the system that it runs on: https://wicg.github.io/ua-client-hints/ */
type Identity = {
  system: string;
  product: string;
  /** `navigator.platform`. */
  platform: string;
  hints: Omit<Protocol.Emulation.UserAgentMetadata, 'brands' | 'fullVersionList' | 'mobile'>;
  screen?: Protocol.Emulation.SetDeviceMetricsOverrideRequest;
};

const DEVICES: Readonly<Record<Device, Identity>> = {
  desktop: {
    system: 'X11; Linux x86_64',
    product: 'Safari/537.36',
    platform: 'Linux x86_64',
    hints: {
      platform: 'Linux',
      platformVersion: '',
      architecture: 'x86',
      bitness: '64',
      model: '',
      formFactors: ['Desktop'],
    },
  },
  mobile: {
    system: 'Linux; Android 10; K',
    product: 'Mobile Safari/537.36',
    platform: 'Linux armv81',
    hints: {
      platform: 'Android',
      platformVersion: '16.0.0',
      architecture: '',
      bitness: '',
      model: 'Pixel 9',
      formFactors: ['Mobile'],
    },
    screen: {
      width: 412,
      height: 915,
      screenWidth: 412,
      screenHeight: 915,
      deviceScaleFactor: 2.625,
      mobile: true,
      screenOrientation: { type: 'portraitPrimary', angle: 0 },
    },
  },
};

const TOUCH_POINTS = 5;

/** As Chrome of this version orders and greases them: https://wicg.github.io/ua-client-hints/#grease */
const brandsAt = (version: string, greaseVersion: string) => [
  { brand: 'Google Chrome', version },
  { brand: 'Not_A Brand', version: greaseVersion },
  { brand: 'Chromium', version },
];

export const userAgentOf = (device: Device) =>
  `Mozilla/5.0 (${DEVICES[device].system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${CHROME_MAJOR}.0.0.0 ${DEVICES[device].product}`;

const workerPlatform = (platform: string) =>
  `globalThis.WorkerNavigator && Object.defineProperty(WorkerNavigator.prototype, 'platform', { get: () => '${platform}' })`;

const hintsOf = (device: Device): Protocol.Emulation.UserAgentMetadata => ({
  ...DEVICES[device].hints,
  brands: brandsAt(CHROME_MAJOR, '8'),
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- scripts still ask for it
  fullVersion: CHROME_VERSION,
  fullVersionList: brandsAt(CHROME_VERSION, '8.0.0.0'),
  mobile: DEVICES[device].screen !== undefined,
});

/**
 * Makes a page, frame or worker present itself as Chrome on that device, in headers, scripts and styles, or by a user
 * agent of the caller's, which Chrome's client hints would contradict.
 */
export async function emulateDevice(session: CDPSession, { device, userAgent }: Guise): Promise<void> {
  const { platform, screen } = DEVICES[device];
  const isMobile = screen !== undefined;
  await Promise.all([
    session.send('Emulation.setUserAgentOverride', {
      userAgent: userAgent ?? userAgentOf(device),
      acceptLanguage: 'en-US,en',
      platform,
      ...(userAgent === undefined && { userAgentMetadata: hintsOf(device) }),
    }),
    // The override above leaves out the platform of workers.
    isMobile && session.send('Runtime.evaluate', { expression: workerPlatform(platform) }),
    isMobile && session.send('Emulation.setDeviceMetricsOverride', screen),
    isMobile &&
      session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: TOUCH_POINTS }),
  ]);
}
