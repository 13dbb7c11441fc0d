import type { Network } from '../page/network.ts';

/** Far more than a page needs, far fewer than make the machine swap. */
const MAX_FRAMES = 500;
/** Workers, and frames of other sites: each a thread or a process. */
const MAX_TARGETS = 100;

/** Aborts when the page has had more frames or workers than any honest one. */
export function watchGrowth(network: Pick<Network, 'on'>): AbortSignal {
  const overgrown = new AbortController();
  let frames = 0;
  let targets = 0;

  network.on(({ what }) => {
    if (what === 'framed') frames += 1;
    if (what === 'attached') targets += 1;
    if (frames > MAX_FRAMES || targets > MAX_TARGETS) overgrown.abort();
  });
  return overgrown.signal;
}
