import { MAX_URL_LENGTH } from '../../contract/page.ts';
import { AppError, catalogue, TARGET_RULE } from '../../errors.ts';
import { canonicalHost, mayBePublic } from './target-host.ts';

type Policy = { allow: readonly string[]; refuse?: readonly string[] };

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Judges a target before any DNS lookup; the guard judges the dialled address again. `allow` lists private
 * `host:port` targets, `refuse` hosts. Throws `invalid_request` and `url_not_allowed`.
 */
export function parseTargetUrl(text: string, policy: Policy): URL {
  if (!URL.canParse(text)) throw invalid(`expected an absolute URL, ${TARGET_RULE}`);
  const url = new URL(text);
  if (url.href.length > MAX_URL_LENGTH)
    throw invalid(`percent-encoded, it has more than ${MAX_URL_LENGTH} characters`);
  if (!isTarget(url, policy)) throw notAllowed(url, policy);
  return url;
}

/** Only a local stack allows private targets, so only there the message says how to allow this one. */
function notAllowed(url: URL, { allow }: Policy): AppError {
  const fields = { param: 'url' };
  const host = canonicalHost(url.hostname);
  if (allow.length === 0 || host === undefined || !isWeb(url) || hasCredentials(url))
    return new AppError('url_not_allowed', { fields });
  const message = `${catalogue.url_not_allowed.message} To allow it here, start with EGRESS_ALLOW=${host}:${portOf(url)}.`;
  return new AppError('url_not_allowed', { message, fields });
}

function invalid(problem: string): AppError {
  return new AppError('invalid_request', {
    message: `Invalid value for 'url': ${problem}.`,
    fields: { param: 'url' },
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

function isTarget(url: URL, { allow, refuse = [] }: Policy): boolean {
  if (!isWeb(url) || hasCredentials(url)) return false;
  const dialled = portOf(url);
  const host = canonicalHost(url.hostname);
  if (host === undefined) return false;
  if (allow.includes(`${host}:${dialled}`)) return true;
  return mayBePublic(host, dialled) && !refuse.includes(host.replace(/\.$/, ''));
}
