import { Impit, type ImpitResponse } from 'impit';
import { Cookie, CookieJar } from 'tough-cookie';
import { MAX_PAGE_BYTES, MAX_URL_LENGTH, type Page, sentContentType } from '../contract/page.ts';
import { isRedirect, MAX_REDIRECTS } from '../domain/redirect.ts';
import { isSameOrigin } from '../domain/same-origin.ts';
import { canonicalHost } from '../domain/target-host.ts';
import { bringsUser, isWeb } from '../domain/target-url.ts';
import { AppError } from '../errors.ts';
import { decodeBody, encodingsOf } from './decode-body.ts';
import { fetchFault } from './fetch-fault.ts';
import type { Guard } from './guard.ts';

export type StaticRequest = {
  /** Absolute http or https URL. */
  url: string;
  /** Sent as long as redirects stay on the origin of `url`. Takes the place of what Chrome sends under the same name. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent to the host of `url`, to any of its ports and paths, unless it sets them anew. */
  cookies?: Readonly<Record<string, string>> | undefined;
};

/** The newest; plain `chrome` is an older one. */
const BROWSER = 'chrome151';
/** impit's own default is 30 s; here the signal is the one deadline. */
const NO_TIMEOUT_MS = 3_600_000;
/** What impit decodes by itself: one of these, written exactly like this. */
const DECODED_BY_IMPIT: readonly string[] = ['gzip', 'br', 'zstd', 'deflate'];

const CLIENT_HINTS = ['sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform'];
/** What Chrome says to secure origins alone: https://w3c.github.io/webappsec-fetch-metadata/#framework */
const SECURE_ONLY = ['site', 'mode', 'user', 'dest']
  .map((part) => `sec-fetch-${part}`)
  .concat(CLIENT_HINTS, 'priority');

/**
 * Fetches a page as Chrome would ask for it, through the guard, following redirects; cookies that these set last as long
 * as the fetch. Throws the code of whatever kept it from coming, `timeout` when the signal aborts (or the signal's reason
 * if that is an AppError).
 */
export async function staticFetch(request: StaticRequest, guard: Guard, signal: AbortSignal): Promise<Page> {
  let url = httpUrl(request.url);
  const cookieJar = await jarOf(request, url);
  const impit = new Impit({
    browser: BROWSER,
    proxyUrl: guard.url,
    http3: false,
    timeout: NO_TIMEOUT_MS,
    cookieJar,
  });
  let own = lowerCased(request.headers);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    try {
      const response = await impit.fetch(url.href, {
        redirect: 'manual',
        headers: headersFor(url, own),
        signal,
      });
      const next = redirectOf(response, url);
      if (next === undefined) return await pageOf(response, url, redirects);
      await response.body.cancel();
      if (!isSameOrigin(url, next)) own = {};
      url = next;
    } catch (error) {
      throw fetchFault(error, guard.faultOf(url.href), signal);
    }
  }
  throw new AppError('too_many_redirects');
}

/** The caller's headers, and what Chrome would not say here emptied, by which impit leaves it out. */
function headersFor(url: URL, own: Record<string, string>): Record<string, string> {
  const isClear = url.protocol === 'http:';
  const unsaid = isClear ? SECURE_ONLY : 'user-agent' in own ? CLIENT_HINTS : [];
  // impit would say the host last.
  const host = isClear ? { host: url.host } : {};
  return { ...host, ...Object.fromEntries(unsaid.map((name) => [name, ''])), ...own };
}

/** Cookies with no word on where they belong are the host's own: https://www.rfc-editor.org/rfc/rfc6265#section-5.3 */
async function jarOf({ cookies = {} }: StaticRequest, url: URL): Promise<CookieJar> {
  // What a name promises by its prefix is between the site and whoever gave us the cookie.
  const jar = new CookieJar(undefined, { prefixSecurity: 'unsafe-disabled' });
  for (const [key, value] of Object.entries(cookies)) {
    await jar.setCookie(new Cookie({ key, value, path: '/' }), url.href, { ignoreError: true });
  }
  return jar;
}

function lowerCased(headers: StaticRequest['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

async function pageOf(response: ImpitResponse, url: URL, redirects: number): Promise<Page> {
  // An interim answer is no document: https://www.rfc-editor.org/rfc/rfc9110#section-15.2
  if (response.status < 200) throw new AppError('bad_upstream_response');
  const encoding = response.headers.get('content-encoding') ?? '';
  const encodings = DECODED_BY_IMPIT.includes(encoding) ? [] : encodingsOf(encoding);
  const body = await decodeBody(await readAll(response), encodings, MAX_PAGE_BYTES);
  return {
    status: response.status,
    url: url.href,
    redirects,
    ...sentContentType(response.headers.get('content-type')),
    body,
  };
}

async function readAll(response: ImpitResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > MAX_PAGE_BYTES) throw new AppError('response_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function redirectOf(response: ImpitResponse, base: URL): URL | undefined {
  const location = response.headers.get('location');
  if (!isRedirect(response.status, location)) return undefined;
  const target = escaped(location);
  if (!URL.canParse(target, base.href)) throw new AppError('bad_upstream_response');
  return httpUrl(target, base);
}

/** Bytes beyond ASCII arrive as Latin-1, and are escaped as what they are, not as the text that they might be. */
function escaped(location: string): string {
  return location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function httpUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!isWeb(url) || bringsUser(url) || canonicalHost(url.hostname) === undefined)
    throw new AppError('url_not_allowed');
  url.hash = '';
  if (url.href.length > MAX_URL_LENGTH) throw new AppError('bad_upstream_response');
  return url;
}
