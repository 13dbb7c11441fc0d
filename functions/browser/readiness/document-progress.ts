import type { Committed, Fact } from '../page/fact.ts';

/** A scheduled navigation this near is waited for. */
const REFRESH_FOLLOWED_S = 2;

/** How far the main frame's document has come, and whether another one follows. */
export type Progress = {
  documents: number;
  url: string;
  /** How often in a row a document was followed by one with its URL. */
  reloads: number;
  loading: string;
  moving?: string | undefined;
  isRefreshing: boolean;
  isParsed: boolean;
  isLoaded: boolean;
};

const UNLOADED = { isRefreshing: false, isParsed: false, isLoaded: false };
export const NO_DOCUMENT: Progress = { documents: 0, url: '', reloads: 0, loading: '', ...UNLOADED };

export function proceed(state: Progress, fact: Fact): Progress {
  if (fact.what === 'requested') return begun(state, fact);
  if (fact.what === 'ended' || fact.what === 'failed' || fact.what === 'attached')
    return arrived(state, fact.id);
  if (fact.what === 'committed') return committed(arrived(state, fact.id), fact);
  if (fact.what === 'parsed') return { ...state, isParsed: true };
  if (fact.what === 'loaded') return loaded(state);
  // A document that was cut off or stopped gets no more events.
  if (fact.what === 'stopped') return loaded(arrived(state, state.loading));
  if (fact.what === 'scheduled')
    return { ...state, isRefreshing: state.isRefreshing || fact.delaySeconds <= REFRESH_FOLLOWED_S };
  if (fact.what === 'unscheduled') return { ...state, isRefreshing: false };
  return state;
}

function committed(state: Progress, { id, url }: Committed): Progress {
  const reloads = url === state.url ? state.reloads + 1 : 0;
  return { ...state, ...UNLOADED, documents: state.documents + 1, url, reloads, loading: id };
}

function begun(
  state: Progress,
  { id, isNavigation, isBackground }: Extract<Fact, { what: 'requested' }>,
): Progress {
  return isNavigation && !isBackground ? { ...state, moving: id } : state;
}

function arrived(state: Progress, id: string): Progress {
  return state.moving === id ? { ...state, moving: undefined } : state;
}

/** The browser's initial blank page does not count. */
function loaded(state: Progress): Progress {
  return state.documents === 0 ? state : { ...state, isParsed: true, isLoaded: true };
}
