import { MAX_URL_LENGTH } from '../contract/page.ts';
import { AppError, TARGET_RULE } from '../errors.ts';
import { canonicalHost, mayBePublic } from './target-host.ts';

type Policy = { allow: readonly string[]; refuse?: readonly string[] };

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * The URL that will be fetched, parsed once by the WHATWG rules. What can be judged without
 * looking a name up is judged here; the egress guard judges again what is dialled. `allow` lists `host:port` that may
 * be scraped although private, `refuse` hosts that may not. Throws `invalid_request` for what is no URL, `url_not_allowed` for what is no target.
 */
export function parseTargetUrl(text: string, policy: Policy): URL {
  if (!URL.canParse(text)) throw invalid(`expected an absolute URL, ${TARGET_RULE}`);
  const url = new URL(text);
  if (url.href.length > MAX_URL_LENGTH)
    throw invalid(`percent-encoded, it has more than ${MAX_URL_LENGTH} characters`);
  if (!isTarget(url, policy)) throw new AppError('url_not_allowed', { fields: { param: 'url' } });
  return url;
}

function invalid(problem: string): AppError {
  return new AppError('invalid_request', {
    message: `Invalid value for 'url': ${problem}.`,
    fields: { param: 'url' },
  });
}

/** Whether it is an http or https URL, and one at all. */
export function isWeb(url: URL | null): url is URL {
  return url !== null && url.protocol in DEFAULT_PORTS;
}

/** Whether it has credentials in it: a scrape never sends any that stand in a URL. */
export function bringsUser({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

function isTarget(url: URL, { allow, refuse = [] }: Policy): boolean {
  const { protocol, hostname, port } = url;
  const defaultPort = DEFAULT_PORTS[protocol];
  if (defaultPort === undefined || bringsUser(url)) return false;
  const dialled = port === '' ? defaultPort : Number(port);
  const host = canonicalHost(hostname);
  if (host === undefined) return false;
  if (allow.includes(`${host}:${dialled}`)) return true;
  return mayBePublic(host, dialled) && !refuse.includes(host.replace(/\.$/, ''));
}
