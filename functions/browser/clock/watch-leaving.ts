import type { Network } from '../page/network.ts';

export type Leaving = {
  /** Call it before Chromium gets the response that may become the next document. */
  begin: (id: string, lastFrame: () => Promise<void>) => Promise<void>;
  isUnderWay: () => boolean;
};

/**
 * Whether a document is being replaced. Chromium may capture it for a view transition then. If its last frame
 * was not drawn, the capture never ends, nor does any call of the protocol: the page's clock, by which
 * Chromium would give up, stands still. https://drafts.csswg.org/css-view-transitions-2/
 */
export function watchLeaving(network: Pick<Network, 'on'>): Leaving {
  let next: string | undefined;
  network.on((fact) => {
    const isOver = fact.what === 'committed' || fact.what === 'ended' || fact.what === 'failed';
    if (isOver && fact.id === next) next = undefined;
  });
  return {
    begin(id, lastFrame) {
      next = id;
      return lastFrame();
    },
    isUnderWay: () => next !== undefined,
  };
}
