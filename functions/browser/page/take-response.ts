import type { CDPSession, Protocol } from 'puppeteer-core';
import { MAX_PAGE_BYTES } from '../../../shared/contract/page.ts';
import { AppError } from '../../../shared/errors.ts';
import { documentType, looksLikeHtml } from './document-type.ts';

type Paused = Protocol.Fetch.RequestPausedEvent;
type Header = Protocol.Fetch.HeaderEntry;

const CHUNK_BYTES = 4_194_304;
/** Of an empty body under any encoding. */
const MAX_EMPTY_BYTES = 32;
/** They have no body, and Chromium stays where it is: https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1 */
export const isBodiless = (status: number | undefined) => status === 204 || status === 205 || status === 304;

/**
 * Decides on a main frame's response before Chromium sees it. HTML goes on into the browser; of anything else the
 * bytes are given back, decoded but as they are, and the browser stays where it was.
 */
export async function takeResponse(page: CDPSession, paused: Paused): Promise<Uint8Array | undefined> {
  const { requestId, responseStatusCode: status } = paused;
  const type = documentType(headerOf(paused, 'content-type'));
  const isEmpty = isBodiless(status);
  if (type === 'rendered' && !isEmpty) return renderResponse(page, paused, []);
  if (type === 'unknown' && !isEmpty) {
    const { body, base64Encoded } = await page.send('Fetch.getResponseBody', { requestId });
    const bytes = Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
    if (looksLikeHtml(bytes))
      return renderResponse(page, paused, [{ name: 'Content-Type', value: 'text/html' }]);
    return keep(page, paused, bytes);
  }
  return keep(page, paused, isEmpty ? new Uint8Array() : await readWhole(page, paused));
}

/** An attachment that is HTML is shown and not saved, and a type that says nothing is replaced. */
async function renderResponse(page: CDPSession, paused: Paused, extra: Header[]): Promise<undefined> {
  const replaced = ['content-disposition', ...extra.map(({ name }) => name.toLowerCase())];
  const kept = (paused.responseHeaders ?? []).filter(({ name }) => !replaced.includes(name.toLowerCase()));
  const isChanged = extra.length > 0 || kept.length !== paused.responseHeaders?.length;
  await page.send('Fetch.continueResponse', {
    requestId: paused.requestId,
    ...(isChanged && {
      responseCode: paused.responseStatusCode ?? 200,
      responseHeaders: [...kept, ...extra],
    }),
  });
}

async function keep(page: CDPSession, { requestId }: Paused, bytes: Uint8Array): Promise<Uint8Array> {
  await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  return bytes;
}

async function readWhole(page: CDPSession, paused: Paused): Promise<Uint8Array> {
  try {
    const bytes = await readBody(page, paused.requestId);
    const announced = headerOf(paused, 'content-length');
    const encoding = headerOf(paused, 'content-encoding') ?? 'identity';
    if (isWhole(bytes.byteLength, announced, encoding !== 'identity')) return bytes;
    throw new Error(`${bytes.byteLength} of ${announced} bytes came.`);
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('bad_upstream_response', { cause });
  }
}

/** Nothing is what Chromium makes of an encoding that it can't take off; encoded, nothing is some twenty bytes. */
function isWhole(bytes: number, announced: string | undefined, isEncoded: boolean): boolean {
  if (announced === undefined) return true;
  return isEncoded ? bytes > 0 || Number(announced) <= MAX_EMPTY_BYTES : Number(announced) === bytes;
}

/** Read in pieces, so that a body without end is cut off at the limit. */
async function readBody(page: CDPSession, requestId: string): Promise<Uint8Array> {
  const { stream: handle } = await page.send('Fetch.takeResponseBodyAsStream', { requestId });
  const chunks: Uint8Array[] = [];
  for (let total = 0; ;) {
    const { data, base64Encoded, eof } = await page.send('IO.read', { handle, size: CHUNK_BYTES });
    const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
    total += chunk.byteLength;
    if (total > MAX_PAGE_BYTES) throw new AppError('response_too_large');
    chunks.push(chunk);
    if (eof) return Buffer.concat(chunks);
  }
}

/** The header's value, or values joined with commas. Undefined if there is none. */
export function headerOf({ responseHeaders }: Paused, name: string): string | undefined {
  const values = (responseHeaders ?? []).filter((header) => header.name.toLowerCase() === name);
  return values.length > 0 ? values.map(({ value }) => value).join(', ') : undefined;
}
