import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { GZIP, isCompressible } from '../gzip.ts';
import type { Reply } from './reply.ts';

/** The type of these that a caller prefers; the first one if it accepts any or none. */
export function preferredType(accept: string | undefined, types: readonly [string, ...string[]]): string {
  const negotiator = new Negotiator({ headers: { accept } });
  return negotiator.mediaType([...types]) ?? types[0];
}

/** Whether the caller prefers gzip to an uncompressed page: RFC 9110 section 12.5.3. */
export function prefersGzip(acceptEncoding: string | undefined): boolean {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  return negotiator.encoding(['gzip', 'identity']) === 'gzip';
}

/**
 * Compresses a reply that is large enough and not a stream, for callers that accept gzip. API Gateway
 * compresses no streamed response, and limits it to 2 MB/s after the first 10 MB.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
export function encoded(reply: Reply, acceptEncoding: string | undefined): Reply {
  if (reply.body instanceof Readable) return reply;
  const bytes = Buffer.from(reply.body);
  if (!isCompressible(bytes)) return reply;
  const { Vary: own } = reply.headers;
  const headers = { ...reply.headers, Vary: own ? `${own}, Accept-Encoding` : 'Accept-Encoding' };
  if (!prefersGzip(acceptEncoding)) return { ...reply, headers };
  const gzip = createGzip(GZIP);
  gzip.end(bytes);
  return { ...reply, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzip };
}
