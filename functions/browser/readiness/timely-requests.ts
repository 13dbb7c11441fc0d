import type { Protocol } from 'puppeteer-core';
import { endsWithin } from '../../../shared/time/ends-within.ts';
import type { PageClock } from '../clock/page-clock.ts';
import type { DocumentReader } from '../page/document-reader.ts';
import type { Network, Pause } from '../page/network.ts';
import type { Tab } from '../page/tab.ts';
import type { Activity } from './watch-activity.ts';

type Pattern = Protocol.Fetch.RequestPattern;

/** What asks a server for content. */
const TYPES = ['Document', 'Script', 'XHR', 'Fetch', 'EventSource'] as const;
const HELD: Pattern[] = TYPES.map((resourceType) => ({
  urlPattern: 'http*',
  resourceType,
  requestStage: 'Request',
}));

/** A countdown to another page may be longer than anybody waits for it. */
const MOVE_MS = 6_000;

/** A page that takes longer to look at waits for the request itself, as with a synchronous one. */
const LOOK_MS = 100;

/**
 * The page's clock runs ahead, but a server's does not: while a page waits for its content, its requests
 * leave when they would in real time. Each costs a round trip, so this begins once a page is seen to wait.
 */
export type TimelyRequests = {
  begin: () => Promise<void>;
  /** Lets go of all but a next document: what follows, such as a scroll, has another clock. */
  end: () => void;
  /** Resolves when the request may leave. */
  isDue: (pause: Pick<Pause, 'resourceType' | 'networkId'>) => Promise<void>;
};

type Needs = {
  tab: Pick<Tab, 'session'>;
  network: Pick<Network, 'on'>;
  clock: Pick<PageClock, 'catchUp' | 'unnoticed'>;
  reader: Pick<DocumentReader, 'screen'>;
  activity: Pick<Activity, 'patience' | 'reloads'>;
  patterns: readonly Pattern[];
};

export function timelyRequests({ tab, network, clock, reader, activity, patterns }: Needs): TimelyRequests {
  let isBegun = false;
  let held = new AbortController();
  // A worker has real time.
  const ofPage = new Set<string>();
  network.on((fact) => {
    if (fact.what === 'requested' && !fact.isOfWorker) ofPage.add(fact.id);
  });
  const isReloadOrWait = () => activity.reloads() > 0 || activity.patience.shows() === 'waiting';
  // What the page shows by now may be the end of its wait.
  const look = async () => activity.patience.sees(await clock.unnoticed(reader.screen()), performance.now());
  return {
    end: () => held.abort(),
    async begin() {
      if (held.signal.aborted) held = new AbortController();
      if (isBegun) return;
      isBegun = true;
      await tab.session.send('Fetch.enable', { patterns: [...patterns, ...HELD] });
    },
    async isDue({ resourceType, networkId = '' }) {
      if (!isBegun || !TYPES.some((type) => type === resourceType)) return;
      // A page that is about to go reports nothing.
      if (resourceType === 'Document')
        return isReloadOrWait() ? clock.catchUp(AbortSignal.timeout(MOVE_MS)) : undefined;
      const { signal } = held;
      if (signal.aborted || activity.patience.shows() !== 'waiting' || !(await endsWithin(look(), LOOK_MS)))
        return;
      if (activity.patience.shows() === 'waiting' && ofPage.has(networkId)) await clock.catchUp(signal);
    },
  };
}
