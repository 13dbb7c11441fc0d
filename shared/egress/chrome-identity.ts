import type { Device } from '../contract/scrape/scrape-request.ts';

/** The Chromium that ships. The user agent has the major only: https://www.chromium.org/updates/ua-reduction/ */
export const CHROME_VERSION = '153.0.8010.0';
const CHROME_MAJOR = CHROME_VERSION.replace(/\..*/, '');

const SYSTEMS: Readonly<Record<Device, { system: string; platform: string; product: string }>> = {
  desktop: { system: 'X11; Linux x86_64', platform: 'Linux', product: 'Safari/537.36' },
  mobile: { system: 'Linux; Android 10; K', platform: 'Android', product: 'Mobile Safari/537.36' },
};

/** In Chrome's order and with its GREASE: https://wicg.github.io/ua-client-hints/#grease */
const brandsAt = (version: string, greaseVersion: string) => [
  { brand: 'Google Chrome', version },
  { brand: 'Not_A Brand', version: greaseVersion },
  { brand: 'Chromium', version },
];

export const BRANDS = brandsAt(CHROME_MAJOR, '8');
export const FULL_VERSION_BRANDS = brandsAt(CHROME_VERSION, '8.0.0.0');

export const platformOf = (device: Device) => SYSTEMS[device].platform;

export function userAgentOf(device: Device): string {
  const { system, product } = SYSTEMS[device];
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${CHROME_MAJOR}.0.0.0 ${product}`;
}

/** Sent with every request to a secure origin: https://wicg.github.io/ua-client-hints/ */
export const clientHintsOf = (device: Device) =>
  [
    ['sec-ch-ua', BRANDS.map(({ brand, version }) => `"${brand}";v="${version}"`).join(', ')],
    ['sec-ch-ua-mobile', device === 'mobile' ? '?1' : '?0'],
    ['sec-ch-ua-platform', `"${platformOf(device)}"`],
  ] as const;

export const LANGUAGES = 'en-US,en';
export const ACCEPT_LANGUAGE = 'en-US,en;q=0.9';
