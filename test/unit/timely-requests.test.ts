import { expect, test } from 'vitest';
import type { Screen } from '../../functions/browser/page/document-reader.ts';
import type { Fact } from '../../functions/browser/page/fact.ts';
import { openPatience } from '../../functions/browser/readiness/patience.ts';
import { openStreams } from '../../functions/browser/readiness/streams.ts';
import { timelyRequests } from '../../functions/browser/readiness/timely-requests.ts';

const FETCH = { resourceType: 'Fetch', networkId: '1' } as const;

/** Requests of a page that shows this, whose clock never lets them go by itself. */
function timely(shows: Screen['shows']) {
  const screen: Screen = {
    shows,
    size: 1,
    hasChanged: false,
    hasReplaced: false,
    isInProgress: false,
    isProgressing: false,
    hasGap: false,
    isRotating: false,
    isInTransition: false,
    isWatchingPaints: false,
    isMeasuring: false,
    isListening: false,
  };
  const now = () => 0;
  const patience = openPatience({ now, streams: openStreams(now) });
  patience.sees(screen, 0);
  const until = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  return timelyRequests({
    tab: { session: { send: () => Promise.resolve() } as never },
    network: { on: (see: (fact: Fact) => void) => see({ what: 'requested', id: '1' } as Fact) },
    clock: { catchUp: until, unnoticed: (look) => look },
    reader: { screen: () => Promise.resolve(screen) },
    activity: { patience, reloads: () => 0 },
    patterns: [],
  });
}

/** Whether the request has left by the next turn of the event loop. */
const stateOf = (due: Promise<void>) =>
  Promise.race([due.then(() => 'left'), new Promise((resolve) => setImmediate(() => resolve('held')))]);

test('a request of a page that waits leaves once the page is no longer waited for', async () => {
  const requests = timely('waiting');
  await requests.begin();
  const due = requests.isDue(FETCH);
  expect(await stateOf(due)).toBe('held');
  requests.end();
  await due;
  expect(await stateOf(requests.isDue(FETCH))).toBe('left');
});

test('requests are held again when the page is waited for again', async () => {
  const requests = timely('waiting');
  await requests.begin();
  requests.end();
  await requests.begin();
  const due = requests.isDue(FETCH);
  expect(await stateOf(due)).toBe('held');
  requests.end();
  await due;
});

test('a page that shows its content requests at once', async () => {
  const requests = timely('showing');
  await requests.begin();
  expect(await stateOf(requests.isDue(FETCH))).toBe('left');
});
