import type { CDPSession } from 'puppeteer-core';

/** Far more than a page needs, far fewer than make the machine swap. */
const MAX_FRAMES = 500;
/** Workers, and frames of other sites: each a thread or a process. */
const MAX_TARGETS = 100;

/** Aborts when the page has had more frames or workers than any honest one. */
export function watchGrowth(page: CDPSession): AbortSignal {
  const overgrown = new AbortController();
  let frames = 0;
  let targets = 0;

  page.on('Page.frameAttached', () => {
    frames += 1;
    if (frames > MAX_FRAMES) overgrown.abort();
  });

  /** Workers start workers. */
  function countTargets(parent: CDPSession): void {
    parent.on('sessionattached', (child) => {
      targets += 1;
      if (targets > MAX_TARGETS) overgrown.abort();
      countTargets(child);
    });
  }
  countTargets(page);
  return overgrown.signal;
}
