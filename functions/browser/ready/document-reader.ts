import { MAX_PAGE_BYTES } from '../../../shared/contract/page.ts';
import { AppError } from '../../../shared/errors.ts';
import { pageScript, WORLD } from './page-script.ts';
import type { Tab } from '../tab.ts';

export type DocumentReader = {
  /** True when the DOM has not changed for a while, given how long the network has been idle; false if it is gone. */
  quiet: (idleMs: number) => Promise<boolean>;
  /** True once an element matches the selector; false if the document is gone. */
  appeared: (selector: string) => Promise<boolean>;
  /** The DOM as UTF-8. Throws `response_too_large`. */
  read: () => Promise<Uint8Array>;
};

/** Another document may come while one is being read. */
const READ_ATTEMPTS = 3;

/** Talks to our script in the page's main frame. */
export function documentReader({ session: page, mainFrame }: Tab): DocumentReader {
  let context: Promise<number> | undefined;

  async function openWorld(): Promise<number> {
    const world = await page.send('Page.createIsolatedWorld', { frameId: mainFrame, worldName: WORLD });
    return world.executionContextId;
  }
  async function evaluate(question: string): Promise<unknown> {
    try {
      const contextId = await (context ??= openWorld());
      const expression = `${pageScript}${question}`;
      const options = { contextId, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await page.send('Runtime.evaluate', { expression, ...options });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    } catch (error) {
      // The world went with its document.
      context = undefined;
      throw error;
    }
  }
  async function read(attemptsLeft = READ_ATTEMPTS): Promise<Uint8Array> {
    try {
      return encode(await evaluate(`read(${MAX_PAGE_BYTES})`));
    } catch (error) {
      if (error instanceof AppError || page.detached || attemptsLeft <= 1) throw error;
      return read(attemptsLeft - 1);
    }
  }
  async function isTrue(question: string): Promise<boolean> {
    try {
      return (await evaluate(question)) === true;
    } catch (error) {
      if (page.detached) throw error;
      return false;
    }
  }
  return {
    quiet: (idleMs) => isTrue(`quiet(${idleMs})`),
    appeared: (selector) => isTrue(`appeared(${JSON.stringify(selector)})`),
    read: () => read(),
  };
}

function encode(text: unknown): Uint8Array {
  const bytes = typeof text === 'string' ? Buffer.from(text) : undefined;
  if (!bytes || bytes.byteLength > MAX_PAGE_BYTES) throw new AppError('response_too_large');
  return bytes;
}
