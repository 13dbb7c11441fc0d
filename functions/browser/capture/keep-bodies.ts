import { isUtf8 } from 'node:buffer';
import type { CDPSession } from 'puppeteer-core';
import { MAX_ALL_CAPTURED_BYTES, MAX_CAPTURED_BYTES } from '../../../shared/contract/scrape/capture.ts';
import { isEmptyBody } from '../page/empty-body.ts';
import type { OpenFetch } from './keep-heads.ts';

export type BodyKeeper = {
  /** Adds bodies to the awaited responses of a session. Its owners still have them when it has ended. */
  watch: (session: CDPSession, owners: readonly CDPSession[], open: Map<string, OpenFetch>) => void;
  /** Resolves when all bodies that have arrived are read. */
  read: () => Promise<unknown>;
};

export function bodyKeeper(): BodyKeeper {
  const reading: Promise<void>[] = [];
  const keep = bodiesWithinLimits();
  return {
    read: () => Promise.all(reading),
    watch(session, owners, open) {
      session.on('Network.dataReceived', ({ requestId, dataLength }) => {
        const fetch = open.get(requestId);
        if (fetch) fetch.bytes = (fetch.bytes ?? 0) + dataLength;
      });
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength: wireBytes }) => {
        const fetch = open.get(requestId);
        open.delete(requestId);
        if (fetch?.awaited) reading.push(keep([session, ...owners], requestId, fetch, wireBytes));
      });
      session.on('Network.loadingFailed', ({ requestId }) => void open.delete(requestId));
      // The last response of a worker may have ended with it.
      owners[0]?.on('sessiondetached', (child) => {
        if (child !== session) return;
        for (const [id, fetch] of open) if (fetch.awaited) reading.push(keep(owners, id, fetch, Infinity));
        open.clear();
      });
    },
  };
}

/** Adds its body to a response, within the limits of one and of all. */
function bodiesWithinLimits() {
  let total = 0;
  return async (readers: readonly CDPSession[], id: string, fetch: OpenFetch, wireBytes: number) => {
    const { awaited: response, bytes = 0 } = fetch;
    const body = await bodyOf(readers, id);
    if (!response || (body?.byteLength === 0 && !isEmpty(fetch, wireBytes))) return;
    const size = body?.byteLength ?? bytes;
    if (size > MAX_CAPTURED_BYTES || (body && total + size > MAX_ALL_CAPTURED_BYTES)) {
      response.omitted = 'too_large';
    } else if (body) {
      total += size;
      delete response.omitted;
      if (isUtf8(body)) response.body = body.toString();
      else Object.assign(response, { body: body.toString('base64'), body_encoding: 'base64' });
    }
  };
}

/** Undefined if Chromium has dropped it: it was beyond its buffer, or of a document that is gone. */
async function bodyOf(readers: readonly CDPSession[], requestId: string): Promise<Buffer | undefined> {
  for (const session of readers) {
    try {
      const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
      return Buffer.from(body, base64Encoded ? 'base64' : 'utf8');
    } catch {
      // The next one may still have it.
    }
  }
  return undefined;
}

/** Otherwise nobody read it, such as what a service worker stores. */
function isEmpty({ bytes, awaited, headBytes = 0 }: OpenFetch, wireBytes: number): boolean {
  const headers = awaited?.headers ?? {};
  return headers['content-encoding'] === undefined
    ? bytes === undefined
    : isEmptyBody(headers, Math.max(0, wireBytes - headBytes));
}
