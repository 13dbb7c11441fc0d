import type { IncomingMessage } from 'node:http';
import { canonicalHost } from '../domain/scrape/target/target-host.ts';

/** `host` is canonical if it is valid, otherwise as sent. */
export type HostAndPort = { host: string; port: number };

export type ProxyTarget = HostAndPort & {
  path: string;
  /** It names exactly one target, and its body has one reading. */
  isPlain: boolean;
};

/** Authority form, RFC 9110 §9.3.6, without user, path or escape: one reading only. */
const AUTHORITY = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+):(?<port>\d{1,5})$/i;
/** Node sends a chunked body of these methods without framing. */
const UNFRAMED_METHODS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

export function readTarget(request: IncomingMessage): ProxyTarget | undefined {
  const { method, url = '' } = request;
  if (method !== 'CONNECT') return targetOf(URL.parse(url), isFramed(request) && !url.includes('#'));
  const { host, port } = AUTHORITY.exec(url)?.groups ?? {};
  if (host === undefined) return targetOf(URL.parse(`https://${url}`), false);
  return { host: spelled(host), port: Number(port), path: '', isPlain: true };
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' || url.protocol === 'wss:' ? 443 : 80;
}

function targetOf(url: URL | null, isSound: boolean): ProxyTarget | undefined {
  if (!url) return undefined;
  const { protocol, username, password, hostname, href, origin } = url;
  const isPlain = isSound && protocol === 'http:' && username === '' && password === '';
  return { host: spelled(hostname), port: portOf(url), path: href.slice(origin.length), isPlain };
}

/** An unframed body would be read as a second request: https://www.rfc-editor.org/rfc/rfc9112#section-11.2 */
function isFramed({ method = '', headers }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  return encoding === undefined || (encoding === 'chunked' && !UNFRAMED_METHODS.includes(method));
}

function spelled(host: string): string {
  return canonicalHost(host) ?? host.toLowerCase();
}
