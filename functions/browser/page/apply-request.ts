import type { Protocol } from 'puppeteer-core';
import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import type { Guard } from '../../../shared/egress/guard.ts';
import { AppError } from '../../../shared/errors.ts';
import { pausedFor } from './answer-pauses.ts';
import { emulateView } from './emulate-view.ts';
import type { Tab } from './tab.ts';

/** Throws `invalid_request` for a selector or cookie that Chromium rejects. */
export async function applyRequest(
  tab: Tab,
  request: RenderRequest,
  guard: Pick<Guard, 'setHostFilter'>,
): Promise<void> {
  const { url, headers, cookies, waitFor, device, blockAds, capture } = request;
  const hasOwn = Object.keys(headers).length > 0;
  const userAgent = Object.entries(headers).find(([name]) => name.toLowerCase() === 'user-agent')?.[1];
  const patterns = pausedFor(request);
  if (!request.blockResources) tab.letFramesLoad();
  await Promise.all([
    patterns && tab.session.send('Fetch.enable', { patterns }),
    // What a service worker fetches gets no headers of the caller, and would be captured twice.
    (hasOwn || capture) && tab.session.send('Network.setBypassServiceWorker', { bypass: true }),
    (device !== 'desktop' || userAgent !== undefined) && tab.emulate({ device, userAgent }),
    waitFor !== undefined && checkSelector(tab, waitFor),
    Object.keys(cookies).length > 0 && setCookies(tab, url, cookies),
    blockAds && refuseAds(url).then(guard.setHostFilter),
  ]);
  // After the device, whose screen it changes.
  await emulateView(tab.session, request);
}

async function checkSelector({ session }: Tab, selector: string): Promise<void> {
  const expression = `document.querySelector(${JSON.stringify(selector)})`;
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression });
  if (exceptionDetails) throw invalid('wait_for', 'expected a CSS selector that Chromium knows');
}

async function setCookies({ session }: Tab, url: string, cookies: RenderRequest['cookies']): Promise<void> {
  const { host } = new URL(url);
  const all = Object.entries(cookies).map(([name, value]): Protocol.Network.CookieParam => {
    // Prefixes that require TLS: https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis#section-4.1.3
    const secure = /^__(secure|host)-/i.test(name);
    const origin = `${secure ? 'https' : 'http'}://${host}/`;
    // httpOnly: third-party scripts must not read a session.
    return { name, value, url: origin, path: '/', secure, httpOnly: true };
  });
  try {
    await session.send('Network.setCookies', { cookies: all });
  } catch (cause) {
    if (session.detached) throw cause;
    throw invalid('cookies', 'Chromium rejects one of them', cause);
  }
}

function invalid(param: string, problem: string, cause?: unknown): AppError {
  const message = `Invalid value for '${param}': ${problem}.`;
  return new AppError('invalid_request', { message, fields: { param }, cause });
}

const REFUSED: readonly string[] = ['ad', 'analytics', 'tag-manager'];
/** Owners that serve much else too, which pages need. */
const NEEDED =
  /(^|\.)(aol|aolcdn|bing|licdn|linkedin|llnwd|microsoft|msn|s-msft|s-msn|snapchat|yahoo|yahooapis)\.(com|net)$/;

/** Throws `url_not_allowed` for ad and tracking hosts, except the target owner's. */
async function refuseAds(targetUrl: string): Promise<(host: string) => void> {
  // Loaded on first use: few requests need the list.
  const { default: thirdParties } = await import('third-party-web/nostats-subset.js');
  const target = new URL(targetUrl).hostname;
  const owner = thirdParties.getEntity(target);
  return (host) => {
    const entity = thirdParties.getEntity(host);
    if (!entity || entity === owner || host === target) return;
    if (!REFUSED.includes(entity.category) || NEEDED.test(host)) return;
    throw new AppError('url_not_allowed', {
      message: 'The page is on an ad or tracker host, and block_ads is set.',
      fields: { param: 'url', reason: 'host' },
    });
  };
}
