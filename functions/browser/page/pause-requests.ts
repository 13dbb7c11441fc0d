import type { Protocol } from 'puppeteer-core';
import type { RenderRequest } from '../../../shared/contract/messages.ts';
import { isWeb } from '../../../shared/domain/target-url.ts';
import type { Tab } from '../tab.ts';

type Pattern = Protocol.Fetch.RequestPattern;
type Wishes = Pick<RenderRequest, 'url' | 'headers' | 'blockResources'>;

const DOCUMENTS: Pattern = { resourceType: 'Document', requestStage: 'Response' };
const MEDIA: Pattern = { resourceType: 'Media', requestStage: 'Request' };

/** What waits for our word where a request has no wishes of its own. Each pause costs a message there and back. */
export const USUALLY_PAUSED = [DOCUMENTS, MEDIA];

/** The same for this request, if it is anything else. */
export function pausedFor({ url, headers, blockResources }: Wishes): Pattern[] | undefined {
  const hasHeaders = Object.keys(headers).length > 0;
  if (blockResources && !hasHeaders) return undefined;
  const own = hasHeaders ? homesOf(url).map((home) => ({ urlPattern: `${home}/*` })) : [];
  return [DOCUMENTS, ...(blockResources ? [MEDIA] : []), ...own];
}

/**
 * Answers what is paused before it goes out: media go nowhere, and the caller's headers go with the document and what
 * it loads from its own origin, until it moves to another one. `Network.setExtraHTTPHeaders` would send them everywhere.
 */
export function pauseRequests({ session, mainFrame }: Tab, { url, headers, blockResources }: Wishes): void {
  const homes = homesOf(url);
  let isHome = true;

  session.on('Network.requestWillBeSent', ({ requestId, loaderId, frameId, type, request }) => {
    // A prefetch has a loader of its own, but the page does not go there.
    const isDocument = requestId === loaderId && frameId === mainFrame && type === 'Document';
    const url = URL.parse(request.url);
    if (isDocument && isWeb(url) && !homes.includes(url.origin)) isHome = false;
  });
  session.on('Fetch.requestPaused', (event) => {
    // One that was given up meanwhile needs no answer.
    if (isOutgoing(event)) answer(event).catch(() => undefined);
  });

  async function answer({ requestId, resourceType, frameId, request }: Protocol.Fetch.RequestPausedEvent) {
    if (resourceType === 'Media' && blockResources) {
      await session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    } else if (isHome && frameId === mainFrame) {
      await session.send('Fetch.continueRequest', { requestId, headers: withOwn(request.headers, headers) });
    } else {
      await session.send('Fetch.continueRequest', { requestId });
    }
  }
}

/** Paused on its way out, and not on its way back. */
export function isOutgoing({ responseStatusCode, responseErrorReason }: Protocol.Fetch.RequestPausedEvent) {
  return responseStatusCode === undefined && responseErrorReason === undefined;
}

/** The origin of a URL, and the one that it becomes when its site moves it to TLS. */
function homesOf(url: string): string[] {
  const { origin, protocol, port } = new URL(url);
  return protocol === 'http:' && port === '' ? [origin, origin.replace('http', 'https')] : [origin];
}

function withOwn(
  headers: Protocol.Network.Headers,
  own: RenderRequest['headers'],
): Protocol.Fetch.HeaderEntry[] {
  const replaced = Object.keys(own).map((name) => name.toLowerCase());
  const kept = Object.entries(headers).filter(([name]) => !replaced.includes(name.toLowerCase()));
  return [...kept, ...Object.entries(own)].map(([name, value]) => ({ name, value }));
}
