import type { CDPSession, Protocol } from 'puppeteer-core';
import {
  BRANDS,
  CHROME_VERSION,
  FULL_VERSION_BRANDS,
  LANGUAGES,
  platformOf,
  userAgentOf,
} from '../../../shared/egress/chrome-identity.ts';
import { VIEWPORTS } from '../../../shared/contract/scrape/picture.ts';
import type { Device } from '../../../shared/contract/scrape/scrape-request.ts';
import type { DeviceProfile } from './tab.ts';
import { pageScript } from './page-script.ts';

/** https://wicg.github.io/ua-client-hints/ */
type Identity = {
  platform: string;
  hints: Omit<Protocol.Emulation.UserAgentMetadata, 'platform' | 'brands' | 'fullVersionList' | 'mobile'>;
  screen?: Protocol.Emulation.SetDeviceMetricsOverrideRequest;
};

const { mobile: MOBILE, desktop: DESKTOP } = VIEWPORTS;

export const WINDOW = { width: DESKTOP.width, height: DESKTOP.height };

export const MOBILE_SCREEN: Protocol.Emulation.SetDeviceMetricsOverrideRequest = {
  width: MOBILE.width,
  height: MOBILE.height,
  screenWidth: MOBILE.width,
  screenHeight: MOBILE.height,
  deviceScaleFactor: MOBILE.scale,
  mobile: true,
  screenOrientation: { type: 'portraitPrimary', angle: 0 },
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
    screen: MOBILE_SCREEN,
  },
};

const TOUCH_POINTS = 5;

const NAVIGATOR = pageScript('worker-navigator');

const hintsOf = (device: Device): Protocol.Emulation.UserAgentMetadata => ({
  ...DEVICES[device].hints,
  platform: platformOf(device),
  brands: BRANDS,
  // oxlint-disable-next-line typescript/no-deprecated -- scripts still ask for it
  fullVersion: CHROME_VERSION,
  fullVersionList: FULL_VERSION_BRANDS,
  mobile: DEVICES[device].screen !== undefined,
});

/** A caller's own user agent drops the client hints, which would contradict it. */
export async function emulateDevice(
  session: CDPSession,
  { device, userAgent }: DeviceProfile,
): Promise<void> {
  const { platform, screen } = DEVICES[device];
  const isMobile = screen !== undefined;
  const agent = userAgent ?? userAgentOf(device);
  const values = { platform, userAgent: agent, appVersion: agent.replace(/^Mozilla\//, '') };
  await Promise.all([
    session.send('Emulation.setUserAgentOverride', {
      userAgent: agent,
      acceptLanguage: LANGUAGES,
      platform,
      ...(userAgent === undefined && { userAgentMetadata: hintsOf(device) }),
    }),
    (isMobile || userAgent !== undefined) &&
      session.send('Runtime.evaluate', {
        expression: `${NAVIGATOR}.overrideNavigator(${JSON.stringify(values)})`,
      }),
    isMobile && session.send('Emulation.setDeviceMetricsOverride', screen),
    isMobile &&
      session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: TOUCH_POINTS }),
  ]);
}
