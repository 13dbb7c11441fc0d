import { isUtf8 } from 'node:buffer';
import type { CDPSession, Protocol } from 'puppeteer-core';
import {
  type Captured,
  type CaptureRule,
  MAX_ALL_CAPTURED_BYTES,
  MAX_CAPTURED_BYTES,
} from '../../../shared/contract/capture.ts';
import { inTime } from '../../../shared/time/in-time.ts';
import { matchesGlob } from './glob.ts';

export type Capture = {
  /** Has Chromium keep bodies from now on. */
  begin: () => Promise<unknown>;
  /** What was kept, in the order of the requests. */
  all: () => Promise<Captured[]>;
};

/** A page may poll. */
const MAX_RESPONSES = 500;
/** Bodies are read as they arrive, so this is for the last ones. */
const LAST_BODIES_MS = 500;
const TYPES: Readonly<Record<string, Captured['type']>> = { Fetch: 'fetch', XHR: 'xhr' };

type Open = { method: string; kept?: Captured; wantsBody?: boolean };

export function openCapture(
  session: CDPSession,
  rules: readonly CaptureRule[] | undefined,
): Capture | undefined {
  if (!rules) return undefined;
  const open = new Map<string, Open>();
  const kept: Captured[] = [];
  const reading: Promise<void>[] = [];
  const read = bodyReader(session);

  session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
    if (TYPES[type] && kept.length < MAX_RESPONSES) open.set(requestId, { method: request.method });
  });
  session.on('Network.responseReceived', ({ requestId, response, type: resource }) => {
    const request = open.get(requestId);
    const type = TYPES[resource];
    if (!request || !type) return;
    const matching = rules.filter((rule) => isMeant(rule, response.url, request.method, type));
    if (matching.length === 0) return;
    const { url, status } = response;
    request.kept = { url, method: request.method, type, status, headers: lowerCased(response.headers) };
    request.wantsBody = matching.some(({ body = true }) => body);
    kept.push(request.kept);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const { kept: response, wantsBody = false } = open.get(requestId) ?? {};
    open.delete(requestId);
    if (response && wantsBody) reading.push(read(requestId, response, encodedDataLength));
  });
  session.on('Network.loadingFailed', ({ requestId }) => {
    const { kept: response, wantsBody = false } = open.get(requestId) ?? {};
    open.delete(requestId);
    if (response && wantsBody) response.omitted = 'unavailable';
  });

  return {
    begin: () => session.send('Network.enable', BUFFERS),
    all: async () => {
      await inTime(Promise.all(reading), LAST_BODIES_MS);
      for (const { kept: response, wantsBody } of open.values())
        if (response && wantsBody) response.omitted = 'unavailable';
      return kept;
    },
  };
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
      Object.assign(response, isUtf8(all) ? { body: all.toString() } : { body, body_encoding: 'base64' });
    } catch {
      // Chromium drops bodies beyond its buffer, and those of a document that is gone.
      response.omitted = sentBytes > MAX_CAPTURED_BYTES ? 'too_large' : 'unavailable';
    }
  };
}

/** Larger than what is kept: a body that is too large differs from one that is gone. */
const BUFFERS = { maxTotalBufferSize: 40_000_000, maxResourceBufferSize: 4_000_000 };

function isMeant(rule: CaptureRule, url: string, method: string, type: Captured['type']): boolean {
  return (
    matchesGlob(url, rule.url) &&
    (rule.method === undefined || rule.method === method) &&
    (rule.type === undefined || rule.type === type)
  );
}

const lowerCased = (headers: Protocol.Network.Headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
