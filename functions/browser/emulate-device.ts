import type { CDPSession, Protocol } from 'puppeteer-core';

/** Of the Chromium we ship. Sites see the major version alone: https://www.chromium.org/updates/ua-reduction/ */
export const CHROME_MAJOR = '153';

export const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${CHROME_MAJOR}.0.0.0 Safari/537.36`;

/** Client hints that say the same: https://wicg.github.io/ua-client-hints/#grease */
const userAgentMetadata: Protocol.Emulation.UserAgentMetadata = {
  brands: [
    { brand: 'Chromium', version: CHROME_MAJOR },
    { brand: 'Google Chrome', version: CHROME_MAJOR },
    { brand: 'Not_A Brand', version: '8' },
  ],
  platform: 'Linux',
  platformVersion: '',
  architecture: 'x86',
  bitness: '64',
  model: '',
  mobile: false,
};

/** Makes a page, frame or worker present itself as desktop Chrome, in headers and in scripts. */
export async function emulateDevice(session: CDPSession): Promise<void> {
  await session.send('Emulation.setUserAgentOverride', {
    userAgent,
    userAgentMetadata,
    acceptLanguage: 'en-US,en',
    platform: 'Linux x86_64',
  });
}
