import type { Reached } from '../../../shared/domain/scrape/target/with-whereabouts.ts';
import type { Guard } from '../../../shared/egress/guard.ts';
import type { Documents } from './documents.ts';

export function reachedIn(state: Documents, guard: Pick<Guard, 'phaseOf'>): Reached {
  const { request, redirects } = state;
  return { url: request.url, isRedirected: redirects > 0, phase: phaseOf(state, guard) };
}

/** Once a document is there, rendering takes the time. */
function phaseOf({ shown, pending, request }: Documents, guard: Pick<Guard, 'phaseOf'>): Reached['phase'] {
  if (shown) return 'render';
  return pending ? 'body' : guard.phaseOf(request.url);
}
