import { randomUUID } from 'node:crypto';
import type { CDPSession } from 'puppeteer-core';
import { MAX_PAGE_BYTES } from '../../../shared/contract/scrape/page.ts';
import { AppError } from '../../../shared/errors.ts';
import { READER_WORLD } from './isolated-worlds.ts';
import { pageScript } from './page-script.ts';
import type { Network } from './network.ts';
import type { Tab } from './tab.ts';

/** Events of the window that no page knows: idle work was requested, is over, or paints are watched for. */
export const IDLE_EVENTS = {
  requested: randomUUID(),
  over: randomUUID(),
  watched: randomUUID(),
  measured: randomUUID(),
} as const;

/** Runs in every frame, and with the first call of a document, which may be older. */
export const INSTALL_READER = `if (window === top && !Object.hasOwn(globalThis, 'reader')) {
  globalThis.reader = ${pageScript('reader')};
  reader.observe(${JSON.stringify(IDLE_EVENTS)});
}
`;

/** Whether a page shows its content, or still waits for it as a person sees. */
export type Shows = 'showing' | 'waiting' | 'unknown';

/**
 * `size` grows as content comes; `hasChanged` says that something has since the load event,
 * `isInProgress` that a progress bar is under way, `isProgressing` that progress moves, `hasGap` that a part
 * is empty or waits, `isRotating` that words take turns in one place.
 * A view transition is drawn: https://drafts.csswg.org/css-view-transitions-2/
 */
export type Screen = {
  shows: Shows;
  size: number;
  hasChanged: boolean;
  hasReplaced: boolean;
  isInProgress: boolean;
  isProgressing: boolean;
  hasGap: boolean;
  isRotating: boolean;
  /** Frames of other sites may send messages to it. */
  isListening: boolean;
  /** A script watches for paints, or for what only measures a page. */
  isWatchingPaints: boolean;
  isMeasuring: boolean;
  isInTransition: boolean;
};
const UNSEEN: Screen = {
  shows: 'unknown',
  size: 0,
  hasChanged: false,
  hasReplaced: false,
  isInProgress: false,
  isProgressing: false,
  hasGap: false,
  isRotating: false,
  isListening: true,
  isWatchingPaints: false,
  isMeasuring: false,
  isInTransition: false,
};

/** How often a document has changed so far, and how often its attributes have. */
type Changes = { changes: number; moves: number; hasCanvas: boolean };
export const NO_CHANGES: Changes = { changes: -1, moves: -1, hasCanvas: false };

export type DocumentReader = {
  isStatic: () => Promise<boolean>;
  screen: () => Promise<Screen>;
  /** An idle callback is pending. If so, the next frame that is drawn gives it time. */
  isIdling: () => Promise<boolean>;
  changes: () => Promise<Changes>;
  /** Resolves with the next frame, or when the document has gone. */
  framed: () => Promise<void>;
  /** Page time until the first running animation ends; Infinity without one. */
  animatedMs: () => Promise<number>;
  /** False if the document has gone. */
  appeared: (selector: string) => Promise<boolean>;
  /** UTF-8; undefined if the document has gone. Throws `response_too_large`. */
  read: () => Promise<Uint8Array | undefined>;
};

export function documentReader(
  { session: page, mainFrame }: Tab,
  network: Pick<Network, 'on'>,
): DocumentReader {
  let context: Promise<number> | undefined;
  let gone = Promise.withResolvers<never>();
  const hearsMessages = messageListeners(page, network);
  network.on(({ what }) => {
    if (what !== 'committed') return;
    // Each document has its own world; a request to a former one may never get a response.
    context = undefined;
    gone.promise.catch(() => undefined);
    gone.reject(new Error('The document is gone.'));
    gone = Promise.withResolvers<never>();
  });

  async function evaluate(call: string): Promise<unknown> {
    const expression = `${context ? '' : INSTALL_READER}reader.${call}`;
    context ??= openWorld(page, mainFrame);
    const answer = context.then((contextId) => run(page, contextId, expression));
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, gone.promise]);
    } catch (error) {
      if (page.detached) throw error;
      context = undefined;
      return undefined;
    }
  }
  return {
    isStatic: async () => (await evaluate('isStatic()')) === true,
    screen: async () => screenOf(await evaluate('screen()'), await hearsMessages()),
    isIdling: async () => (await evaluate('isIdling()')) === true,
    changes: async () => ((await evaluate('changesSoFar()')) ?? NO_CHANGES) as Changes,
    framed: async () => void (await evaluate('framed()').catch(() => undefined)),
    animatedMs: async () => Number((await evaluate('animatedMs()')) ?? Infinity),
    appeared: async (selector) => (await evaluate(`appeared(${JSON.stringify(selector)})`)) === true,
    read: async () => encode(await evaluate(`read(${MAX_PAGE_BYTES})`)),
  };
}

function screenOf(seen: unknown, isListening: boolean): Screen {
  return seen === undefined ? UNSEEN : { ...(seen as Omit<Screen, 'isListening'>), isListening };
}

/** Each call resolves with whether a frame of another site may change the document, by a message. */
function messageListeners(page: CDPSession, network: Pick<Network, 'on'>): () => Promise<boolean> {
  let hasFrames = false;
  network.on(({ what }) => {
    if (what === 'frameAttached') hasFrames = true;
    if (what === 'committed') hasFrames = false;
  });
  return async () => hasFrames && (await hears(page));
}

const OBJECTS = 'listeners';

/** True if the document has gone. */
async function hears(page: CDPSession): Promise<boolean> {
  try {
    const { result } = await page.send('Runtime.evaluate', { expression: 'window', objectGroup: OBJECTS });
    const { objectId = '' } = result;
    const { listeners } = await page.send('DOMDebugger.getEventListeners', { objectId });
    await page.send('Runtime.releaseObjectGroup', { objectGroup: OBJECTS });
    return listeners.some(({ type }) => type === 'message');
  } catch (error) {
    if (page.detached) throw error;
    return true;
  }
}

async function openWorld(page: CDPSession, frameId: string): Promise<number> {
  const world = await page.send('Page.createIsolatedWorld', { frameId, worldName: READER_WORLD });
  return world.executionContextId;
}

async function run(page: CDPSession, contextId: number, expression: string): Promise<unknown> {
  const options = { contextId, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await page.send('Runtime.evaluate', { expression, ...options });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value;
}

function encode(text: unknown): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const bytes = typeof text === 'string' ? Buffer.from(text) : undefined;
  if (!bytes || bytes.byteLength > MAX_PAGE_BYTES) throw new AppError('response_too_large');
  return bytes;
}
