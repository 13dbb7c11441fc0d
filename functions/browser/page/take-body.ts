import type { CDPSession, Protocol } from 'puppeteer-core';
import { MAX_PAGE_BYTES } from '../../../shared/contract/scrape/page.ts';
import { AppError } from '../../../shared/errors.ts';
import { documentType, looksLikeHtml } from './document-type.ts';
import { MAX_EMPTY_BYTES } from './empty-body.ts';
import type { Pause } from './network.ts';
import { headerOf } from './pauses.ts';

type Head = Pick<Protocol.Fetch.ContinueResponseRequest, 'responseCode' | 'responseHeaders'>;

const CHUNK_BYTES = 4_194_304;

/** Chromium renders HTML sent as an attachment only without that header. */
export function pageHead(pause: Pause): Head {
  const { responseHeaders = [], responseStatusCode: responseCode = 200 } = pause;
  const kept = responseHeaders.filter(({ name }) => name.toLowerCase() !== 'content-disposition');
  return kept.length === responseHeaders.length ? {} : { responseCode, responseHeaders: kept };
}

type ReadBody = { body: Uint8Array } | { isWhole: boolean };

/** Decodes a body that is not rendered. HTML without a usable type is given back to the browser. */
export async function takeBody(page: CDPSession, pause: Pause): Promise<ReadBody> {
  const { requestId } = pause;
  const { bytes, fault } = await readBody(page, requestId);
  const isWhole = fault === undefined && hasLength(bytes.byteLength, pause);
  if (documentType(headerOf(pause, 'content-type')) === 'unknown' && looksLikeHtml(bytes)) {
    const body = bytes.toString('base64');
    await page.send('Fetch.fulfillRequest', { requestId, body, ...fulfilledHead(pause) });
    return { isWhole };
  }
  await page.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
  if (isWhole) return { body: bytes };
  throw new AppError('bad_upstream_response', { cause: fault });
}

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

/** Chromium decodes an unknown encoding to nothing, while an encoded empty body is some twenty bytes. */
function hasLength(bytes: number, pause: Pause): boolean {
  const announced = headerOf(pause, 'content-length');
  if (announced === undefined) return true;
  const isEncoded = (headerOf(pause, 'content-encoding') ?? 'identity') !== 'identity';
  return isEncoded ? bytes > 0 || Number(announced) <= MAX_EMPTY_BYTES : Number(announced) === bytes;
}

/** Reads in pieces, to stop at the limit and keep the bytes before a fault. */
async function readBody(page: CDPSession, requestId: string): Promise<{ bytes: Buffer; fault?: unknown }> {
  const chunks: Uint8Array[] = [];
  try {
    const { stream: handle } = await page.send('Fetch.takeResponseBodyAsStream', { requestId });
    for (let total = 0; ;) {
      const { data, base64Encoded, eof } = await page.send('IO.read', { handle, size: CHUNK_BYTES });
      const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
      total += chunk.byteLength;
      if (total > MAX_PAGE_BYTES) throw new AppError('response_too_large');
      chunks.push(chunk);
      if (eof) return { bytes: Buffer.concat(chunks) };
    }
  } catch (fault) {
    if (fault instanceof AppError) throw fault;
    return { bytes: Buffer.concat(chunks), fault };
  }
}
