import type { CDPSession, Protocol } from 'puppeteer-core';
import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import { redirectNotAllowed } from '../../../shared/domain/scrape/target/url-refusal.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Tab } from './tab.ts';
import type { MainFrame } from './main-frame.ts';
import type { Network, Pause } from './network.ts';
import { answerBlocked, BLOCKED } from './answer-blocked.ts';
import { originsOf, ownHeaders, withOwn } from './own-headers.ts';
import { ANSWERS, isOutgoing, locationOf, requestKind, responseKind } from './pauses.ts';
import { pageHead, takeBody } from './take-body.ts';

type Pattern = Protocol.Fetch.RequestPattern;
type Options = Pick<RenderRequest, 'url' | 'headers' | 'blockResources'>;

const DOCUMENTS: Pattern = { resourceType: 'Document', requestStage: 'Response' };

/** The default patterns. Each pause costs a round trip. */
export const USUALLY_PAUSED = [DOCUMENTS, ...BLOCKED];

/** The patterns this request needs; undefined if the default ones do. */
export function pausedFor({ url, headers, blockResources }: Options): Pattern[] | undefined {
  const hasHeaders = Object.keys(headers).length > 0;
  if (blockResources && !hasHeaders) return undefined;
  const own = hasHeaders ? originsOf(url).map((origin) => ({ urlPattern: `${origin}/*` })) : [];
  return [DOCUMENTS, ...(blockResources ? BLOCKED : []), ...own];
}

type Timing = {
  /** Before the next document comes. */
  leave: (id: string) => Promise<void>;
  /** Before a request leaves. */
  isDue: (pause: Pause) => Promise<void>;
};

/** `Network.setExtraHTTPHeaders` would send the caller's headers to every host, so they are added here. */
export function answerPauses(
  { session, mainFrame }: Tab,
  network: Network,
  frame: MainFrame,
  options: Options,
  { leave, isDue }: Timing,
): void {
  const own = ownHeaders(options);
  network.on(own.see);
  network.onPause((pause) => {
    (isOutgoing(pause) ? answerRequest(pause) : answerResponse(pause)).catch((error: unknown) => {
      // Any other error means that the request was cancelled, which is reported as a loading failure.
      if (error instanceof AppError) frame.fail(error);
    });
  });

  async function answerRequest(pause: Pause): Promise<void> {
    const { requestId, request } = pause;
    const isOwn = own.goWith(pause, pause.frameId === mainFrame);
    const kind = requestKind(pause, isOwn, options.blockResources);
    if (ANSWERS.request[kind] !== 'continue') return answerBlocked(session, pause);
    await isDue(pause);
    const headers = kind === 'own' ? { headers: withOwn(request.headers, own.of(pause)) } : {};
    await session.send('Fetch.continueRequest', { requestId, ...headers });
  }

  async function answerResponse(pause: Pause): Promise<void> {
    const { requestId } = pause;
    const isShown = frame.document() !== undefined;
    const kind = responseKind(pause, { mainFrame, isShown, leaves: own.leaves });
    if (kind === 'page' && isShown) await leave(pause.networkId ?? '');
    if (kind === 'page' || kind === 'file' || kind === 'empty') frame.respond(pause);
    if (ANSWERS.response[kind] === 'take') return take(session, frame, pause);
    if (ANSWERS.response[kind] === 'continue') {
      await session.send('Fetch.continueResponse', { requestId, ...(kind === 'page' && pageHead(pause)) });
    } else await fail(session, frame, pause, kind);
  }
}

async function fail(
  session: CDPSession,
  frame: MainFrame,
  pause: Pause,
  kind: ReturnType<typeof responseKind>,
): Promise<void> {
  const { requestId } = pause;
  // First, so that the end of this request does not end the scrape.
  const going = kind === 'leaving' ? frame.followRedirect(pause) : undefined;
  await Promise.all([session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }), going]);
  if (kind === 'forbidden') frame.fail(redirectNotAllowed(locationOf(pause)));
  if (kind === 'empty') frame.deliver(pause, new Uint8Array());
}

async function take(session: CDPSession, frame: MainFrame, pause: Pause): Promise<void> {
  const taken = await takeBody(session, pause);
  if ('body' in taken) frame.deliver(pause, taken.body);
  else if (!taken.isWhole) frame.cutOff(pause);
}
