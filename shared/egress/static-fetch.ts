import { Impit, type ImpitResponse } from 'impit';
import { CookieJar } from 'tough-cookie';
import { MAX_PAGE_BYTES, type Page } from '../contract/page.ts';
import { AppError } from '../errors.ts';
import { decodeBody, encodingsOf } from './decode-body.ts';
import { fetchFault } from './fetch-fault.ts';
import type { Guard } from './guard.ts';

export type StaticRequest = {
  /** Absolute http or https URL. */
  url: string;
  /** Sent as long as redirects stay on the origin of `url`. */
  headers?: Readonly<Record<string, string>>;
  /** Sent as long as redirects stay on the origin of `url`. */
  cookies?: Readonly<Record<string, string>>;
};

const MAX_REDIRECTS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** The newest; plain `chrome` is an older one. */
const BROWSER = 'chrome151';
/** impit's own default is 30 s; here the signal is the one deadline. */
const NO_TIMEOUT_MS = 3_600_000;
/** What impit decodes by itself: one of these, written exactly like this. */
const DECODED_BY_IMPIT: readonly string[] = ['gzip', 'br', 'zstd', 'deflate'];

/**
 * Fetches a page as Chrome would ask for it, through the guard, following redirects; cookies that these set last as long
 * as the fetch. Throws the code of whatever
 * kept it from coming, `timeout` when the signal aborts (or the signal's reason if that is an AppError).
 */
export async function staticFetch(request: StaticRequest, guard: Guard, signal: AbortSignal): Promise<Page> {
  const impit = new Impit({ browser: BROWSER, proxyUrl: guard.url, http3: false, timeout: NO_TIMEOUT_MS });
  let url = httpUrl(request.url);
  let own: Pick<StaticRequest, 'headers' | 'cookies'> = request;
  const jar = new CookieJar();
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    try {
      const response = await impit.fetch(url.href, {
        redirect: 'manual',
        headers: await headersFor(url, own, jar),
        signal,
      });
      const next = redirectOf(response, url);
      if (next === undefined) return await pageOf(response, url, redirects);
      await response.body.cancel();
      await keepCookies(response, url, jar);
      if (next.origin !== url.origin) own = {};
      url = next;
    } catch (error) {
      throw fetchFault(error, guard.faultOf(url.href), signal);
    }
  }
  throw new AppError('too_many_redirects');
}

async function pageOf(response: ImpitResponse, url: URL, redirects: number): Promise<Page> {
  // An interim answer is no document: https://www.rfc-editor.org/rfc/rfc9110#section-15.2
  if (response.status < 200) throw new AppError('bad_upstream_response');
  const encoding = response.headers.get('content-encoding') ?? '';
  const encodings = DECODED_BY_IMPIT.includes(encoding) ? [] : encodingsOf(encoding);
  const body = await decodeBody(await readAll(response), encodings, MAX_PAGE_BYTES);
  const contentType = response.headers.get('content-type');
  return {
    status: response.status,
    url: url.href,
    redirects,
    ...(contentType !== null && { contentType }),
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
  if (!REDIRECTS.includes(response.status) || !location) return undefined;
  const target = decodeLocation(location);
  if (!URL.canParse(target, base.href)) throw new AppError('bad_upstream_response');
  return httpUrl(target, base);
}

/** Header bytes arrive as Latin-1, but servers write paths in UTF-8. */
function decodeLocation(location: string): string {
  const bytes = Buffer.from(location, 'latin1');
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : location;
}

function httpUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username !== '' || url.password !== '') throw new AppError('url_not_allowed');
  url.hash = '';
  return url;
}

/** The caller's headers and cookies, and the cookies that the site has set on the way, which win. */
async function headersFor(
  url: URL,
  { headers = {}, cookies = {} }: Pick<StaticRequest, 'headers' | 'cookies'>,
  jar: CookieJar,
): Promise<Record<string, string>> {
  const set = (await jar.getCookies(url.href)).map(({ key, value }) => [key, value]);
  const pairs = Object.entries({ ...cookies, ...(Object.fromEntries(set) as Record<string, string>) });
  return pairs.length === 0
    ? headers
    : { ...headers, cookie: pairs.map(([name, value]) => `${name}=${value}`).join('; ') };
}

/** One that is not valid is left out, as browsers do. */
async function keepCookies(response: ImpitResponse, url: URL, jar: CookieJar): Promise<void> {
  for (const line of response.headers.getSetCookie()) {
    await jar.setCookie(line, url.href, { ignoreError: true });
  }
}
