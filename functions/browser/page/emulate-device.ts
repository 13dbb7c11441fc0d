import type { CDPSession, Protocol } from 'puppeteer-core';
import {
  BRANDS,
  CHROME_VERSION,
  FULL_VERSION_BRANDS,
  LANGUAGES,
  platformOf,
  userAgentOf,
} from '../../../shared/egress/chrome-identity.ts';
import type { Device } from '../../../shared/contract/scrape-request.ts';
import type { Guise } from '../tab.ts';
import { LIKE_NATIVE } from './native-parts.ts';

/** What Chrome says of the system that it runs on: https://wicg.github.io/ua-client-hints/ */
type Identity = {
  /** `navigator.platform`. */
  platform: string;
  hints: Omit<Protocol.Emulation.UserAgentMetadata, 'platform' | 'brands' | 'fullVersionList' | 'mobile'>;
  screen?: Protocol.Emulation.SetDeviceMetricsOverrideRequest;
};

const DEVICES: Readonly<Record<Device, Identity>> = {
  desktop: {
    platform: 'Linux x86_64',
    hints: {
      platformVersion: '',
      architecture: 'x86',
      bitness: '64',
      model: '',
      formFactors: ['Desktop'],
    },
  },
  mobile: {
    platform: 'Linux armv81',
    hints: {
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

/** The override leaves out the platform of workers, and the user agent of service workers. */
const inWorkers = (told: Record<'platform' | 'userAgent' | 'appVersion', string>) => `
if (globalThis.WorkerNavigator) {
  ${LIKE_NATIVE}
  for (const [name, value] of Object.entries(${JSON.stringify(told)})) {
    if (navigator[name] === value) continue;
    replace(WorkerNavigator.prototype, name, (self, args, native) => {
      apply(native, self, args);
      return value;
    });
  }
}`;

const hintsOf = (device: Device): Protocol.Emulation.UserAgentMetadata => ({
  ...DEVICES[device].hints,
  platform: platformOf(device),
  brands: BRANDS,
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- scripts still ask for it
  fullVersion: CHROME_VERSION,
  fullVersionList: FULL_VERSION_BRANDS,
  mobile: DEVICES[device].screen !== undefined,
});

/**
 * Makes a page, frame or worker present itself as Chrome on that device, in headers, scripts and styles, or by a user
 * agent of the caller's, which Chrome's client hints would contradict.
 */
export async function emulateDevice(session: CDPSession, { device, userAgent }: Guise): Promise<void> {
  const { platform, screen } = DEVICES[device];
  const isMobile = screen !== undefined;
  const toldAgent = userAgent ?? userAgentOf(device);
  const told = { platform, userAgent: toldAgent, appVersion: toldAgent.replace(/^Mozilla\//, '') };
  await Promise.all([
    session.send('Emulation.setUserAgentOverride', {
      userAgent: toldAgent,
      acceptLanguage: LANGUAGES,
      platform,
      ...(userAgent === undefined && { userAgentMetadata: hintsOf(device) }),
    }),
    (isMobile || userAgent !== undefined) &&
      session.send('Runtime.evaluate', { expression: inWorkers(told) }),
    isMobile && session.send('Emulation.setDeviceMetricsOverride', screen),
    isMobile &&
      session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: TOUCH_POINTS }),
  ]);
}
