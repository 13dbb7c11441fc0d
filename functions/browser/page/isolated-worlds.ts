import type { CDPSession } from 'puppeteer-core';
import type { Network } from './network.ts';

/** Pages neither see nor change what is in it. */
export const READER_WORLD = 'reader';

export type IsolatedWorlds = {
  /** The execution context of a frame's own world, which pages do not see. Throws if the frame is gone. */
  of: (frameId: string) => Promise<number>;
  forget: () => void;
};

/** What evaluates expressions and finds elements beside the page's scripts. */
export type PageAccess = { mainFrame: string; worlds: IsolatedWorlds; send: CDPSession['send'] };

/** Evaluates an expression of the service in the main frame's isolated world. */
export async function evaluateIsolated(
  { worlds, mainFrame, send }: PageAccess,
  expression: string,
): Promise<unknown> {
  const contextId = await worlds.of(mainFrame);
  const { result } = await send('Runtime.evaluate', { expression, contextId, returnByValue: true });
  return result.value as unknown;
}

export function openIsolatedWorlds(session: CDPSession, network: Pick<Network, 'on'>): IsolatedWorlds {
  const contexts = new Map<string, Promise<number>>();
  const forget = () => contexts.clear();
  network.on(({ what }) => {
    if (what === 'committed') forget();
  });
  return {
    forget,
    of: (frameId) => {
      const known = contexts.get(frameId);
      if (known) return known;
      const opened = session
        .send('Page.createIsolatedWorld', { frameId, worldName: READER_WORLD })
        .then(({ executionContextId }) => executionContextId);
      opened.catch(() => contexts.delete(frameId));
      contexts.set(frameId, opened);
      return opened;
    },
  };
}
