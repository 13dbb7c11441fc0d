import type { Network } from '../page/network.ts';

/** Above any normal page, below what makes the machine swap. */
const MAX_FRAMES = 500;
/** Workers and frames of other sites: each is a thread or process. */
const MAX_TARGETS = 100;

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
