import type { Fact } from '../page/fact.ts';
import { keyOf } from './open-request.ts';

/** A page that has polled is about to poll again. */
const POLLING_MS = 6_000;

export type Polls = { see: (fact: Fact) => void; areGoingOn: () => boolean };

/** Whether a document requests the same URL again and again, or is to come again later. */
export function watchPolls(now: () => number): Polls {
  const requested = new Set<string>();
  let polledAt = -Infinity;
  return {
    see(fact) {
      if (fact.what === 'committed') {
        requested.clear();
        polledAt = -Infinity;
      } else if (fact.what === 'responded' && fact.isNotYet) polledAt = now();
      else if (fact.what === 'requested' && !fact.isBackground && !fact.isPicture && !fact.isRedirect) {
        // Some polls carry the time, so that no cache answers them.
        const place = keyOf(fact.url.replace(/[?#].*/s, ''));
        if (requested.has(place)) polledAt = now();
        requested.add(place);
      }
    },
    areGoingOn: () => now() - polledAt < POLLING_MS,
  };
}
