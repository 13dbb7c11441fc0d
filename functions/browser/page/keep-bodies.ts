import { isUtf8 } from 'node:buffer';
import type { CDPSession } from 'puppeteer-core';
import {
  type Captured,
  MAX_ALL_CAPTURED_BYTES,
  MAX_CAPTURED_BYTES,
} from '../../../shared/contract/capture.ts';
import type { OpenFetch } from './keep-heads.ts';

/** Adds their bodies to awaited responses, and each reading to the list that it returns. */
export function keepBodies(session: CDPSession, open: Map<string, OpenFetch>): Promise<void>[] {
  const reading: Promise<void>[] = [];
  const read = bodyReader(session);
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const response = open.get(requestId)?.awaited;
    open.delete(requestId);
    if (response) reading.push(read(requestId, response, encodedDataLength));
  });
  session.on('Network.loadingFailed', ({ requestId }) => void open.delete(requestId));
  return reading;
}

/** Adds its body to a response, within the limits of one and of all. */
function bodyReader(session: CDPSession) {
  let bytes = 0;
  return async (requestId: string, response: Captured, sentBytes: number): Promise<void> => {
    try {
      const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
      const all = Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
      const isTooLarge =
        all.byteLength > MAX_CAPTURED_BYTES || bytes + all.byteLength > MAX_ALL_CAPTURED_BYTES;
      if (isTooLarge) {
        response.omitted = 'too_large';
        return;
      }
      bytes += all.byteLength;
      delete response.omitted;
      Object.assign(response, isUtf8(all) ? { body: all.toString() } : { body, body_encoding: 'base64' });
    } catch {
      // Chromium drops bodies beyond its buffer, and those of a document that is gone.
      if (sentBytes > MAX_CAPTURED_BYTES) response.omitted = 'too_large';
    }
  };
}
