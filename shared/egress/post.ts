import {
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { AppError, type ErrorCode, toAppError } from '../errors.ts';
import type { Guard } from './guard.ts';
import { openTunnel, secured, type Trust } from './open-tunnel.ts';

export type PostRequest = { url: string; headers: Readonly<Record<string, string>>; body: string };

/** The part of a response body that is read and dropped, so that its sender is not cut off. */
const [MAX_READ_BYTES, MAX_READ_MS] = [4_096, 1_000];

/** Returns the response's status. Follows no redirect, keeps no cookie or connection. Throws fault codes. */
export async function post(
  { url, headers, body }: PostRequest,
  guard: Guard,
  signal: AbortSignal,
  { ca }: Trust = {},
): Promise<{ status: number }> {
  return posted({ url, headers, body }, guard, { signal, ca }, async (response) => {
    await drop(response);
    return { status: response.statusCode ?? 0 };
  });
}

type Reading = Trust & { signal: AbortSignal; maxBytes: number };
type Answer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** The same with the whole response. Throws `response_too_large` beyond `maxBytes`. */
export async function exchange(
  request: PostRequest,
  guard: Guard,
  { maxBytes, ...options }: Reading,
): Promise<Answer> {
  return posted(request, guard, options, async (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) throw new AppError('response_too_large');
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  });
}

async function posted<T>(
  { url: text, headers, body }: PostRequest,
  guard: Guard,
  { signal, ca }: Trust & { signal: AbortSignal },
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const url = new URL(text);
  try {
    const tunnel = await openTunnel(guard.url, url, signal);
    const socket = url.protocol === 'https:' ? await secured(tunnel, url, signal, { ca }) : tunnel;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // An agent, even `false`, would connect by itself, past the guard.
    const sent = send(url, { method: 'POST', headers, signal, createConnection: () => socket });
    sent.end(body);
    return await read(await answerTo(sent));
  } catch (error) {
    if (signal.aborted) throw new AppError('timeout', { cause: error });
    throw guard.faultOf(text) ?? fault(error);
  }
}

function fault(error: unknown): AppError {
  const known = toAppError(error);
  const code: ErrorCode = known.code === 'internal' ? 'bad_upstream_response' : known.code;
  return new AppError(code, { cause: error });
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve);
  sent.on('error', reject);
  // Also after an upgrade, which has no event of its own without a listener.
  sent.once('close', () => reject(new Error('The connection was closed.')));
  return promise;
}

/** Reads the end of a short response, and closes the connection. */
async function drop(response: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_READ_BYTES) end();
  });
  response.on('error', end).once('close', end).once('end', end);
  const timer = setTimeout(end, MAX_READ_MS);
  await promise;
  clearTimeout(timer);
  response.destroy();
}
