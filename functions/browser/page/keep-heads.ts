import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Captured, CaptureRule } from '../../../shared/contract/capture.ts';
import { matchesGlob } from './glob.ts';

/** A request that has not ended. `awaited`: its response, `unavailable` until the body is read. */
export type OpenFetch = { method: string; awaited?: Captured | undefined };

/** A page may poll. */
const MAX_RESPONSES = 500;
/** Of their URLs and headers. A server may send 256 KB with each. */
const MAX_ALL_HEADS_LENGTH = 5_000_000;
const TYPES: Readonly<Record<string, Captured['type']>> = { Fetch: 'fetch', XHR: 'xhr' };

/** Fills `open` with requests, and the list that it returns with the responses that the rules mean. */
export function keepHeads(
  session: CDPSession,
  rules: readonly CaptureRule[],
  open: Map<string, OpenFetch>,
): Captured[] {
  const kept: Captured[] = [];
  let length = 0;
  session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
    if (TYPES[type] && kept.length < MAX_RESPONSES) open.set(requestId, { method: request.method });
  });
  session.on(
    'Network.responseReceived',
    ({ requestId, response: { url, status, headers }, type: resource }) => {
      const request = open.get(requestId);
      const type = TYPES[resource];
      // Many may be asked for before the first of them is answered.
      if (!request || !type || kept.length >= MAX_RESPONSES) return;
      const { method } = request;
      const matching = rules.filter((rule) => isMeant(rule, url, method, type));
      if (matching.length === 0) return;
      const isWhole = matching.some(({ body = true }) => body);
      const response: Captured = { url, method, type, status, headers: lowerCased(headers) };
      length += JSON.stringify(response).length;
      if (length > MAX_ALL_HEADS_LENGTH) return;
      if (isWhole) request.awaited = Object.assign(response, { omitted: 'unavailable' as const });
      kept.push(response);
    },
  );
  return kept;
}

function isMeant(rule: CaptureRule, url: string, method: string, type: Captured['type']): boolean {
  return (
    matchesGlob(url, rule.url) &&
    (rule.method === undefined || rule.method === method) &&
    (rule.type === undefined || rule.type === type)
  );
}

const lowerCased = (headers: Protocol.Network.Headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
