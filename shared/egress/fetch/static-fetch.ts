import { Cookie, CookieJar } from 'tough-cookie';
import { userAgentOf } from '../chrome-identity.ts';
import { MAX_PAGE_BYTES, MAX_URL_LENGTH, type Page, sentContentType } from '../../contract/scrape/page.ts';
import { isRedirect, MAX_REDIRECTS, REDIRECT_STATUSES } from '../../domain/scrape/target/redirect.ts';
import { isSameOrigin } from '../../domain/scrape/target/same-origin.ts';
import { hasCredentials, isWeb } from '../../domain/scrape/target/target-url.ts';
import { isUnsentIn, maybeSent } from '../../domain/scrape/target/maybe-sent.ts';
import { redirectDisallowed, redirectNotAllowed } from '../../domain/scrape/target/url-refusal.ts';
import { withLocation } from '../../domain/scrape/target/with-location.ts';
import { isRepeatable, type TargetMethod } from '../../contract/scrape/target-request.ts';
import { AppError } from '../../errors.ts';
import type { Guard } from '../guard.ts';
import { askLocations } from './ask-location.ts';
import { type Answer, type ChromeClient, openChromeClient } from './chrome-client.ts';
import { decodeBody } from '../decode/decode-body.ts';
import { encodingsOf } from '../decode/encodings-of.ts';
import { fetchFault } from './fetch-fault.ts';
import { outgoing, redirected } from './outgoing.ts';
import { requestHeaders } from './request-headers.ts';

export type StaticRequest = {
  url: string;
  /** Absent: GET. Any other is sent once, and never again by a retry. */
  method?: TargetMethod | undefined;
  /** UTF-8. It goes where redirects with 307 and 308 lead. */
  body?: string | undefined;
  /** Sent while redirects stay on the origin of `url`. They override Chrome's headers. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent to the host of `url`, on any port and path, unless it replaces them. */
  cookies?: Readonly<Record<string, string>> | undefined;
  /** Bytes after which a body is cut off, before it is decoded. Absent: a larger one is a fault. */
  maxBytes?: number | undefined;
  /** Whether a redirect to this URL is followed. Absent: all are. */
  mayFollow?: ((url: string) => Promise<boolean>) | undefined;
};

const DEVICE = 'desktop';

/**
 * Throws the failure's code, `timeout` when the signal aborts, or the signal's reason if that is an AppError.
 * A temporary failure becomes `maybe_sent` once a request that must not be repeated may have been sent.
 * `kept`: a client whose connections are left open.
 */
export async function staticFetch(
  request: StaticRequest,
  guard: Guard,
  signal: AbortSignal,
  kept?: ChromeClient,
): Promise<Page> {
  if (kept) return fetchOver(kept, request, guard, signal);
  const client = await openChromeClient(guard.url, !isRepeatable(request));
  try {
    return await fetchOver(client, request, guard, signal);
  } finally {
    await client.close();
  }
}

async function fetchOver(
  client: ChromeClient,
  request: StaticRequest,
  guard: Guard,
  signal: AbortSignal,
): Promise<Page> {
  let url = httpUrl(request.url);
  let next = outgoing(request);
  let [answered, isRedirected] = [false, false];
  const isOnce = !isRepeatable(request);
  const cookies = await jarOf(request, url);
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const headers = requestHeaders(url, {
        own: next.own,
        cookie: await cookies.getCookieString(url.href),
        userAgent: userAgentOf(DEVICE),
        device: DEVICE,
      });
      const answer = await client.send(url, { ...next, headers }, signal);
      answered = true;
      for (const cookie of answer.setCookies)
        await cookies.setCookie(cookie, url.href, { ignoreError: true });
      const ask = () => (isOnce ? Promise.resolve([]) : askLocations(url, headers, guard.url, signal));
      const location = redirectOf(answer.status, await locationOf(answer, ask), url);
      if (location === undefined) return await pageOf(answer, { ...request, url, redirects }, signal);
      await answer.body?.cancel();
      if ((await request.mayFollow?.(location.href)) === false) throw redirectDisallowed(location.href);
      next = redirected(next, answer.status, isSameOrigin(url, location));
      url = location;
      [answered, isRedirected] = [false, true];
    }
  } catch (error) {
    const fault = fetchFault(error, guard.faultOf(url.href), signal);
    const phase = answered ? 'body' : guard.phaseOf(url.href);
    const whole = withLocation(fault, { url: url.href, isRedirected, phase });
    throw isOnce && (isRedirected || !isUnsentIn(phase)) ? maybeSent(whole, request.method ?? 'GET') : whole;
  }
  throw new AppError('too_many_redirects');
}

/** Cookies without a domain belong to the host: https://www.rfc-editor.org/rfc/rfc6265#section-5.3 */
async function jarOf({ cookies = {} }: StaticRequest, url: URL): Promise<CookieJar> {
  // A caller's cookie need not satisfy its name's prefix.
  const jar = new CookieJar(undefined, { prefixSecurity: 'unsafe-disabled' });
  for (const [key, value] of Object.entries(cookies)) {
    await jar.setCookie(new Cookie({ key, value, path: '/' }), url.href, { ignoreError: true });
  }
  return jar;
}

type Arrived = Pick<StaticRequest, 'maxBytes'> & { url: URL; redirects: number };

async function pageOf(
  answer: Answer,
  { url, redirects, maxBytes = Infinity }: Arrived,
  signal: AbortSignal,
): Promise<Page> {
  // An interim response is no document: https://www.rfc-editor.org/rfc/rfc9110#section-15.2
  if (answer.status < 200) throw new AppError('bad_upstream_response');
  const encodings = encodingsOf(answer.header('content-encoding') ?? '');
  const { bytes, isCut } = await readAll(answer, maxBytes, signal);
  const { body, isTruncated } = await decodeBody(bytes, encodings, MAX_PAGE_BYTES, signal);
  return {
    status: answer.status,
    url: url.href,
    redirects,
    ...sentContentType(answer.header('content-type')),
    headers: answer.headers,
    ...((isTruncated || isCut) && { contentTruncated: true }),
    body,
  };
}

/** The client observes the signal only until the headers are received. */
async function readAll(
  { body }: Answer,
  maxBytes: number,
  signal: AbortSignal,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  if (!body) return { bytes: new Uint8Array(), isCut: false };
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length;
      if (size > MAX_PAGE_BYTES) throw new AppError('response_too_large');
      chunks.push(read.value);
      if (size > maxBytes) break;
    }
    signal.throwIfAborted();
    return { bytes: Buffer.concat(chunks, size), isCut: size > maxBytes };
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** The redirect's target. Two different ones count as none, as in browsers. */
async function locationOf(answer: Answer, ask: () => Promise<string[]>): Promise<string | undefined> {
  const location = answer.header('location');
  if (!REDIRECT_STATUSES.includes(answer.status)) return undefined;
  if (location !== undefined && !location.includes(', ')) return location;
  const asked = await ask().catch((): string[] => []);
  const [first, ...others] = asked.length > 0 ? asked : (location?.split(', ') ?? []);
  if (others.some((other) => other !== first)) throw new AppError('bad_upstream_response');
  return first;
}

function redirectOf(status: number, location: string | undefined, base: URL): URL | undefined {
  if (!isRedirect(status, location)) return undefined;
  const target = escaped(location);
  if (!URL.canParse(target, base.href)) throw new AppError('bad_upstream_response');
  return httpUrl(target, base);
}

/** Bytes beyond ASCII arrive as Latin-1 and are percent-encoded as bytes, not as text. */
function escaped(location: string): string {
  return location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
}

function httpUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (!isWeb(url) || hasCredentials(url)) throw redirectNotAllowed(url?.href ?? text);
  url.hash = '';
  if (url.href.length > MAX_URL_LENGTH) throw new AppError('bad_upstream_response');
  return url;
}
