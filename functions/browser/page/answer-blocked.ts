import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Pause } from './network.ts';
import { PLACEHOLDERS } from './placeholders.ts';

/** The requests that `block_resources` stops. Data and blob URLs still load. */
export const BLOCKED: Protocol.Fetch.RequestPattern[] = (['Image', 'Font', 'Media'] as const).map(
  (resourceType) => ({
    urlPattern: 'http*',
    resourceType,
    requestStage: 'Request',
  }),
);

/** Sends a stand-in if there is one, otherwise fails the request as an ad blocker does. */
export async function answerBlocked(session: CDPSession, pause: Pause): Promise<void> {
  const { requestId, resourceType } = pause;
  const placeholder = PLACEHOLDERS[resourceType];
  if (!placeholder) {
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    return;
  }
  const { type, body } = placeholder;
  await session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: 200,
    responseHeaders: head(pause, type),
    body,
  });
}

function head({ request }: Pause, type: string): Protocol.Fetch.HeaderEntry[] {
  // Requests with credentials reject a wildcard: https://fetch.spec.whatwg.org/#cors-protocol-and-credentials
  const origin = request.headers['Origin'] ?? '*';
  return [
    { name: 'Content-Type', value: type },
    { name: 'Cache-Control', value: 'max-age=3600' },
    { name: 'Access-Control-Allow-Origin', value: origin },
    { name: 'Access-Control-Allow-Credentials', value: 'true' },
    { name: 'Cross-Origin-Resource-Policy', value: 'cross-origin' },
  ];
}
