import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors.ts';
import { readHost } from './decide.ts';

export type Target = { host: string; port: number };

/** Authority form, RFC 9110 §9.3.6. Nothing in it may be read in two ways: no user, no path, no escape. */
const AUTHORITY = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+):(?<port>\d{1,5})$/i;
/** Methods whose body Node sends without framing when it came in chunks. */
const UNFRAMED_METHODS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

/** What a proxy request asks to be connected to. Throws `url_not_allowed` for all that is not plainly one target. */
export function readTarget(request: IncomingMessage): Target {
  const { method = '', url = '', headers } = request;
  if (method === 'CONNECT') {
    const { host, port } = AUTHORITY.exec(url)?.groups ?? {};
    if (host === undefined) throw new AppError('url_not_allowed');
    return { host: readHost(host), port: Number(port) };
  }
  const target = URL.parse(url);
  const isPlain = target?.protocol === 'http:' && target.username === '' && target.password === '';
  // https://www.rfc-editor.org/rfc/rfc9112#section-11.2: an unframed body would be read as a second request.
  const isFramed = headers['transfer-encoding'] === undefined || !UNFRAMED_METHODS.includes(method);
  if (!isPlain || !isFramed) throw new AppError('url_not_allowed');
  return { host: readHost(target.hostname), port: portOf(target) };
}

/** The port that a URL means, its scheme's default included. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' || url.protocol === 'wss:' ? 443 : 80;
}
