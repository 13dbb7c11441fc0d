import type { CDPSession } from 'puppeteer-core';
import type { Network } from './network.ts';

/** Pages neither see nor change what is in it. */
export const READER_WORLD = 'reader';

export type Worlds = {
  /** The execution context of a frame's own world, which pages do not see. Throws if the frame is gone. */
  of: (frameId: string) => Promise<number>;
  forget: () => void;
};

export function openWorlds(session: CDPSession, network: Pick<Network, 'on'>): Worlds {
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
