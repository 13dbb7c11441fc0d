import type { CDPSession, Protocol } from 'puppeteer-core';
import { MAX_PAGE_BYTES } from '../../../shared/contract/page.ts';
import { AppError } from '../../../shared/errors.ts';
import { documentType, looksLikeHtml } from './document-type.ts';
import type { Pause } from './network.ts';
import { headerOf } from './pauses.ts';

type Head = Pick<Protocol.Fetch.ContinueResponseRequest, 'responseCode' | 'responseHeaders'>;

const CHUNK_BYTES = 4_194_304;
/** Of an empty body under any encoding. */
const MAX_EMPTY_BYTES = 32;

/** The head under which Chromium renders a page: HTML that is sent as an attachment is shown and not saved. */
export function pageHead(pause: Pause): Head {
  const { responseHeaders = [], responseStatusCode: responseCode = 200 } = pause;
  const kept = responseHeaders.filter(({ name }) => name.toLowerCase() !== 'content-disposition');
  return kept.length === responseHeaders.length ? {} : { responseCode, responseHeaders: kept };
}

/**
 * Reads a body that is not for rendering, decoded but as it is, and leaves the browser where it was. A body whose type
 * says nothing and whose bytes are HTML goes on into the browser: then there is nothing to give. Throws
 * `response_too_large` and `bad_upstream_response`.
 */
export async function takeBody(page: CDPSession, pause: Pause): Promise<Uint8Array | undefined> {
  const { requestId } = pause;
  const bytes = await readWhole(page, pause);
  if (documentType(headerOf(pause, 'content-type')) === 'unknown' && looksLikeHtml(bytes)) {
    const body = Buffer.from(bytes).toString('base64');
    await page.send('Fetch.fulfillRequest', { requestId, body, ...fulfilledHead(pause) });
    return undefined;
  }
  await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  return bytes;
}

/** The bytes are decoded, and no longer as many as were announced. */
const REPLACED: readonly string[] = [
  'content-type',
  'content-disposition',
  'content-encoding',
  'content-length',
  'transfer-encoding',
];

function fulfilledHead({ responseHeaders = [], responseStatusCode: responseCode = 200 }: Pause) {
  const kept = responseHeaders.filter(({ name }) => !REPLACED.includes(name.toLowerCase()));
  return { responseCode, responseHeaders: [...kept, { name: 'Content-Type', value: 'text/html' }] };
}

async function readWhole(page: CDPSession, pause: Pause): Promise<Uint8Array> {
  try {
    const bytes = await readBody(page, pause.requestId);
    const announced = headerOf(pause, 'content-length');
    const encoding = headerOf(pause, 'content-encoding') ?? 'identity';
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
