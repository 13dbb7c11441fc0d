import { MAX_URL_LENGTH } from '../../../contract/scrape/page.ts';
import { AppError, TARGET_RULE } from '../../../errors.ts';
import { canonicalHost, whyNotPublic } from './target-host.ts';
import { receiverNotAllowed, urlNotAllowed } from './url-refusal.ts';

type Policy = { allow: readonly string[]; refuse?: readonly string[] };

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Judges a target before any DNS lookup; the guard judges the dialled address again. `allow` lists private
 * `host:port` targets, `refuse` hosts. Throws `invalid_request`, which names `param`, and `url_not_allowed`.
 */
export function parseTargetUrl(text: string, policy: Policy, param = 'url'): URL {
  if (!URL.canParse(text)) throw invalidUrl(param, `expected an absolute URL, ${TARGET_RULE}`);
  const url = new URL(text);
  if (url.href.length > MAX_URL_LENGTH)
    throw invalidUrl(param, `percent-encoded, it has more than ${MAX_URL_LENGTH} characters`);
  const reason = refusalOf(url, policy);
  if (reason) throw urlNotAllowed(reason, text, allowanceFor(url, policy));
  return url;
}

/** Judges a receiver of events: its URL is https, or a private target that `allow` lists. */
export function parseWebhookUrl(text: string, policy: Policy, param: string): URL {
  const url = URL.parse(text);
  if (url === null || url.href.length > MAX_URL_LENGTH)
    throw invalidUrl(param, `expected an absolute https URL of up to ${MAX_URL_LENGTH} characters`);
  const reason = refusalOf(url, policy) ?? (isSafe(url, policy) ? undefined : 'scheme');
  if (reason) throw receiverNotAllowed(reason, text, param, allowanceFor(url, policy));
  url.hash = '';
  return url;
}

const isSafe = (url: URL, { allow }: Policy) =>
  url.protocol === 'https:' || allow.includes(`${canonicalHost(url.hostname)}:${portOf(url)}`);

/** Only a local stack allows private targets, so only there the message says how to allow this one. */
function allowanceFor(url: URL, { allow }: Policy): string {
  const host = canonicalHost(url.hostname);
  if (allow.length === 0 || host === undefined || !isWeb(url) || hasCredentials(url)) return '';
  return ` To allow it here, start with EGRESS_ALLOW=${host}:${portOf(url)}.`;
}

function invalidUrl(param: string, problem: string): AppError {
  return new AppError('invalid_request', {
    message: `Invalid value for '${param}': ${problem}.`,
    fields: { param },
  });
}

export function isWeb(url: URL | null): url is URL {
  return url !== null && url.protocol in DEFAULT_PORTS;
}

/** Scrapes never send credentials from a URL. */
export function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

const portOf = ({ protocol, port }: URL) => Number(port === '' ? DEFAULT_PORTS[protocol] : port);

/** Why a URL may not be scraped, whatever its name resolves to. */
export function refusalOf(url: URL, { allow, refuse = [] }: Policy) {
  if (!isWeb(url)) return 'scheme';
  if (hasCredentials(url)) return 'userinfo';
  const dialled = portOf(url);
  const host = canonicalHost(url.hostname);
  if (host === undefined) return 'host';
  if (allow.includes(`${host}:${dialled}`)) return undefined;
  if (refuse.includes(host.replace(/\.$/, ''))) return 'own';
  return whyNotPublic(host, dialled);
}
