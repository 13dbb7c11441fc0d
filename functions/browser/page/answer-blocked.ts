import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Pause } from './network.ts';

/** What `block_resources` keeps from going out. Data and blobs do not go out, and load. */
export const BLOCKED: Protocol.Fetch.RequestPattern[] = (['Image', 'Font', 'Media'] as const).map(
  (resourceType) => ({
    urlPattern: 'http*',
    resourceType,
    requestStage: 'Request',
  }),
);

/** One transparent pixel. */
const GIF = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';

/** TrueType without a character, so that text is set in the next font of the page's list. */
const FONT =
  'AAEAAAAKAIAAAwAgT1MvMkTfQ5AAAAEoAAAAYGNtYXAADABGAAABjAAAACxnbHlmJwMyNwAAAbwAAAAUaGVhZF8XQOEAAACs' +
  'AAAANmhoZWEDIwMhAAAA5AAAACRobXR4AfQAAAAAAYgAAAAEbG9jYQAAAAoAAAG4AAAABG1heHAAAwAFAAABCAAAACBuYW1l' +
  'AAYAAAAAAdAAAAAGcG9zdAADAAAAAAHYAAAAIAABAAAAAQAABUcpt18PPPUAAwPoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAB' +
  'AAAAAwACAAAAAAAAAAEAAAMg/zgAAAH0AAAB8wABAAEAAAAAAAAAAAAAAAAAAAABAAEAAAABAAMAAQAAAAAAAgAAAAAAAAAA' +
  'AAAAAAAAAAAAAwH0AZAABQAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPz8/PwAA' +
  'AAAAAAMg/zgAAAMgAMgAAAAAAAAAAAAAAAAAAAAgAAAB9AAAAAAAAgAAAAMAAAAUAAMAAQAAABQABAAYAAAAAgACAAAAAP//' +
  'AAD//wABAAAAAAAKAAEAAAAAAAEAAQACAAAxMycBAQEAAAAAAAYAAAADAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** The least that a page takes for a loaded picture or font. Browsers go by the bytes, whatever the URL's name is. */
const STAND_INS: Partial<Record<Pause['resourceType'], { type: string; body: string }>> = {
  Image: { type: 'image/gif', body: GIF },
  Font: { type: 'font/ttf', body: FONT },
};

export const hasStandIn = ({ resourceType }: Pause) => STAND_INS[resourceType] !== undefined;

/** Answers a request that is not to go out: with its stand-in if there is one, otherwise as an ad blocker does. */
export async function answerBlocked(session: CDPSession, pause: Pause): Promise<void> {
  const { requestId, resourceType } = pause;
  const standIn = STAND_INS[resourceType];
  if (!standIn) {
    await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    return;
  }
  const { type, body } = standIn;
  await session.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: 200,
    responseHeaders: head(pause, type),
    body,
  });
}

/** Any page may use it, also one that isolates itself, and need not ask twice. */
function head({ request }: Pause, type: string): Protocol.Fetch.HeaderEntry[] {
  // With credentials a wildcard is not enough: https://fetch.spec.whatwg.org/#cors-protocol-and-credentials
  const origin = request.headers['Origin'] ?? '*';
  return [
    { name: 'Content-Type', value: type },
    { name: 'Cache-Control', value: 'max-age=3600' },
    { name: 'Access-Control-Allow-Origin', value: origin },
    { name: 'Access-Control-Allow-Credentials', value: 'true' },
    { name: 'Cross-Origin-Resource-Policy', value: 'cross-origin' },
  ];
}
