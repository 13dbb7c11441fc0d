import { expect, test } from 'vitest';
import type { Fact } from '../../functions/browser/page/network.ts';
import { watchActivity } from '../../functions/browser/readiness/watch-activity.ts';

/** An activity whose facts and clock the test sets. */
function watched() {
  const watchers: ((fact: Fact) => void)[] = [];
  const clock = { now: 0 };
  const activity = watchActivity({ on: (see) => void watchers.push(see) }, () => clock.now);
  return { ...activity, clock, see: (fact: Fact) => watchers.forEach((watch) => watch(fact)) };
}

const requested = (id: string, more = {}): Fact => {
  return {
    what: 'requested',
    id,
    url: 'https://a.example/',
    isBackground: false,
    isPicture: false,
    isRead: false,
    isNavigation: false,
    isRedirect: false,
    ...more,
  };
};
const move = (id: string) => requested(id, { isNavigation: true });
const ended = (id: string): Fact => ({ what: 'ended', id, wireBytes: 0 });
const committed = (id: string): Fact => {
  return { what: 'committed', id, url: 'https://a.example/', isErrorPage: false, isRestored: false };
};

test('a page is idle from the end of its last request', () => {
  const activity = watched();
  activity.see(requested('1'));
  activity.see(requested('2'));
  activity.see(ended('1'));
  expect(activity.isIdle()).toBe(false);
  activity.clock.now = 40;
  activity.see({ what: 'failed', id: '2', error: 'net::ERR_FAILED', isCanceled: false });
  activity.clock.now = 100;
  expect(activity.isIdle()).toBe(true);
  expect(activity.idleMs()).toBe(60);
});

test('background requests are not waited for', () => {
  const activity = watched();
  activity.see(requested('1', { isBackground: true }));
  expect(activity.isIdle()).toBe(true);
  expect(activity.count()).toBe(0);
});

test('a stalled response is not waited for, but a request without a response is', () => {
  const activity = watched();
  activity.see(requested('1'));
  activity.see({ what: 'responded', id: '1', wireBytes: 100 });
  activity.clock.now = 399;
  expect(activity.isIdle()).toBe(false);
  activity.clock.now = 400;
  expect(activity.isIdle()).toBe(true);
  activity.see(requested('2'));
  activity.clock.now = 10_000;
  expect([activity.isIdle(), activity.isUnanswered()]).toEqual([false, true]);
});

test('a repeated request to a URL that has responded does not count as unanswered', () => {
  const activity = watched();
  activity.see(requested('1'));
  activity.see(ended('1'));
  activity.see(requested('2'));
  expect([activity.isFetching(), activity.isUnanswered(), activity.respondedUrls()]).toEqual([
    true,
    false,
    1,
  ]);
});

test.each([
  ['worker', { what: 'attached', id: 'w', isWorker: true }, 1_200],
  ['stream', { what: 'streamed' }, 1_000],
] as const)('a new %s is given time to become active', (_, fact, ms) => {
  const activity = watched();
  activity.see(fact);
  activity.clock.now = ms - 1;
  expect(activity.expectedMs(ms)).toBe(1);
  activity.clock.now = ms;
  expect(activity.expectedMs(ms)).toBe(0);
});

test('a worker is given less time once the page has worked after its start', () => {
  const activity = watched();
  activity.see({ what: 'attached', id: 'w', isWorker: true });
  const lastScriptAt = 300;
  activity.clock.now = 799;
  expect(activity.expectedMs(799 - lastScriptAt)).toBe(1);
  activity.clock.now = 800;
  expect(activity.expectedMs(800 - lastScriptAt)).toBe(0);
});

test('a stream is given time after each message, but not for ever', () => {
  const activity = watched();
  activity.see({ what: 'streamed' });
  activity.clock.now = 1_000;
  activity.see({ what: 'messageReceived' });
  activity.clock.now = 1_599;
  expect(activity.expectedMs(1_599)).toBe(1);
  activity.clock.now = 2_900;
  activity.see({ what: 'messageReceived' });
  expect(activity.expectedMs(2_900)).toBe(100);
  activity.clock.now = 3_000;
  activity.see({ what: 'messageReceived' });
  expect(activity.expectedMs(3_000)).toBe(0);
});

test('a body that is read may pause for longer than an unread one', () => {
  const activity = watched();
  activity.see(requested('fetch'));
  activity.see({ what: 'responded', id: 'fetch', wireBytes: 100 });
  activity.clock.now = 1_000;
  expect(activity.isFetching()).toBe(false);
  activity.see(requested('xhr', { isRead: true }));
  activity.see({ what: 'received', id: 'xhr', bytes: 10 });
  activity.clock.now = 2_999;
  expect(activity.isFetching()).toBe(true);
  activity.clock.now = 3_000;
  expect(activity.isFetching()).toBe(false);
});

test('a redirect continues the same request', () => {
  const activity = watched();
  activity.see(requested('1'));
  activity.see(requested('1', { isRedirect: true }));
  activity.see(ended('1'));
  expect(activity.isIdle()).toBe(true);
});

test('a new document resets the requests of the last one', () => {
  const activity = watched();
  activity.see(requested('1'));
  activity.see(move('2'));
  expect(activity.isNavigationDue()).toBe(true);
  activity.see(committed('2'));
  expect(activity.isNavigationDue()).toBe(false);
  expect(activity.isIdle()).toBe(false);
  activity.see(ended('2'));
  expect(activity.isIdle()).toBe(true);
});

test('a document is loaded by its load event or by being stopped, but not before it is committed', () => {
  const activity = watched();
  activity.see({ what: 'stopped' });
  expect(activity.isLoaded()).toBe(false);
  activity.see(move('1'));
  activity.see(committed('1'));
  expect([activity.isParsed(), activity.isLoaded()]).toEqual([false, false]);
  activity.see({ what: 'parsed' });
  expect([activity.isParsed(), activity.isLoaded()]).toEqual([true, false]);
  activity.see({ what: 'stopped' });
  expect([activity.isLoaded(), activity.isIdle()]).toEqual([true, true]);
});

test.each([
  [0, true],
  [2, true],
  [3, false],
])('a navigation scheduled in %d s is waited for: %s', (delaySeconds, isNavigationDue) => {
  const activity = watched();
  activity.see({ what: 'scheduled', delaySeconds });
  expect(activity.isNavigationDue()).toBe(isNavigationDue);
  activity.see({ what: 'unscheduled' });
  expect(activity.isNavigationDue()).toBe(false);
});

test('the request for a worker ends when the worker is attached', () => {
  const activity = watched();
  activity.see(requested('w'));
  activity.see({ what: 'attached', id: 'w', isWorker: true });
  expect(activity.isIdle()).toBe(true);
});

test.each([
  ['frames', { what: 'frameAttached' }, 500],
  ['workers', { what: 'attached', id: 'w', isWorker: true }, 100],
] as const)('too many %s abort the page', (_, fact, most) => {
  const activity = watched();
  for (let count = 0; count < most; count += 1) activity.see(fact);
  expect(activity.overLimit.aborted).toBe(false);
  activity.see(fact);
  expect(activity.overLimit.aborted).toBe(true);
});

test('a wait ends when its condition holds or its signal aborts', async () => {
  const activity = watched();
  activity.see(requested('1'));
  const waits = new AbortController();
  const idle = activity.until(activity.isIdle, waits.signal);
  activity.see(ended('1'));
  await expect(idle).resolves.toBeUndefined();
  const never = activity.until(() => false, waits.signal);
  waits.abort(new Error('enough'));
  await expect(never).rejects.toThrow('enough');
});
