import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { AppError, type ErrorCode, toAppError } from '../errors.ts';
import type { Guard } from './guard.ts';
import { openTunnel, secured, type Trust } from './open-tunnel.ts';

export type PostRequest = { url: string; headers: Readonly<Record<string, string>>; body: string };

/** The part of a response body that is read and dropped, so that its sender is not cut off. */
const [MAX_READ_BYTES, MAX_READ_MS] = [4_096, 1_000];

/** Returns the response's status. Follows no redirect, keeps no cookie or connection. Throws fault codes. */
export async function post(
  { url: text, headers, body }: PostRequest,
  guard: Guard,
  signal: AbortSignal,
  { ca }: Trust = {},
): Promise<{ status: number }> {
  const url = new URL(text);
  try {
    const tunnel = await openTunnel(guard.url, url, signal);
    const socket = url.protocol === 'https:' ? await secured(tunnel, url, signal, { ca }) : tunnel;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    // An agent, even `false`, would connect by itself, past the guard.
    const sent = send(url, { method: 'POST', headers, signal, createConnection: () => socket });
    sent.end(body);
    const response = await answerTo(sent);
    await drop(response);
    return { status: response.statusCode ?? 0 };
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
