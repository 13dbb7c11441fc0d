import { expect, test } from 'vitest';
import type { Screen } from '../../functions/browser/page/document-reader.ts';
import type { Fact } from '../../functions/browser/page/fact.ts';
import { watchActivity } from '../../functions/browser/readiness/watch-activity.ts';
import type { RenderWaiting } from '../../shared/contract/scrape/page.ts';

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
    at: 0,
    url: 'https://a.example/',
    isBackground: false,
    isPicture: false,
    isRead: false,
    isPassive: false,
    isFramed: false,
    method: 'GET',
    sends: '',
    isForParts: false,
    isForContent: true,
    isReport: false,
    isNavigation: false,
    isRedirect: false,
    isOfWorker: false,
    isOfServiceWorker: false,
    ...more,
  };
};
const move = (id: string) => requested(id, { isNavigation: true });
const responded = (id: string, more = {}): Fact => {
  return {
    what: 'responded',
    id,
    at: 0,
    wireBytes: 100,
    isNotYet: false,
    isError: false,
    isEmpty: false,
    isInParts: false,
    isOfEvents: false,
    isAtomic: false,
    ...more,
  };
};
const socket = (id = 's'): Fact => ({ what: 'streamed', id, by: 'socket' });
const message = (what: 'messageReceived' | 'messageSent', data = 'word'): Fact => ({ what, id: 's', data });
const ended = (id: string, at = 0): Fact => ({ what: 'ended', id, at, wireBytes: 0 });
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
  activity.see(responded('1'));
  activity.see({ what: 'received', id: '1', bytes: 10 });
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

test('a page may request more from its own address, which has sent the document', () => {
  const activity = watched();
  activity.see(move('1'));
  activity.see(committed('1'));
  activity.see(ended('1'));
  activity.see(requested('2'));
  activity.see(requested('3'));
  activity.see(ended('2'));
  activity.patience.sees(look('showing', 900, { hasGap: true }), 0);
  activity.clock.now = 4_499;
  expect([activity.isFetching(), activity.isContentMissing()]).toEqual([true, true]);
});

test.each([
  ['worker', { what: 'attached', id: 'w', isWorker: true }, 1_200],
  ['stream', { what: 'streamed', id: 's', by: 'stream' }, 1_000],
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
  activity.see(socket());
  activity.clock.now = 1_000;
  activity.see(message('messageReceived', 'one'));
  activity.clock.now = 1_599;
  expect(activity.expectedMs(1_599)).toBe(1);
  activity.clock.now = 2_900;
  activity.see(message('messageReceived', 'two'));
  expect(activity.expectedMs(2_900)).toBe(100);
  activity.clock.now = 3_000;
  activity.see(message('messageReceived', 'three'));
  expect(activity.expectedMs(3_000)).toBe(0);
});

test('a body that is read may pause for longer than an unread one', () => {
  const activity = watched();
  activity.see(requested('fetch'));
  activity.see(responded('fetch'));
  activity.see({ what: 'received', id: 'fetch', bytes: 10 });
  activity.clock.now = 1_000;
  expect(activity.isFetching()).toBe(false);
  activity.see(requested('xhr', { isRead: true }));
  activity.see({ what: 'received', id: 'xhr', bytes: 10 });
  activity.clock.now = 3_199;
  expect(activity.isFetching()).toBe(true);
  activity.clock.now = 3_200;
  expect(activity.isFetching()).toBe(false);
});

test.each([
  ['that comes in parts', { isInParts: true }, 1],
  ['of which a second part came', {}, 2],
  ['that is shorter than it says', { length: 30 }, 1],
] as const)('a body %s may pause for as long as a body that is read', (_, more, parts) => {
  const activity = watched();
  activity.see(requested('fetch'));
  activity.see(responded('fetch', more));
  for (let part = 0; part < parts; part += 1) activity.see({ what: 'received', id: 'fetch', bytes: 10 });
  activity.clock.now = 2_199;
  expect([activity.isFetching(), activity.liveMs(0)]).toEqual([true, 1]);
  activity.clock.now = 2_200;
  expect(activity.isFetching()).toBe(false);
});

test('a body of which the first part did not come with the head may pause too', () => {
  const activity = watched();
  activity.see(requested('fetch'));
  activity.see(responded('fetch'));
  activity.clock.now = 100;
  activity.see({ what: 'received', id: 'fetch', bytes: 10 });
  activity.clock.now = 2_299;
  expect([activity.isFetching(), activity.liveMs(0)]).toEqual([true, 1]);
});

test('a page that waits may wait for more of a body of one part', () => {
  const activity = watched();
  activity.see(requested('fetch'));
  activity.see(responded('fetch'));
  activity.see({ what: 'received', id: 'fetch', bytes: 10 });
  expect(activity.liveMs(0)).toBe(0);
  activity.patience.sees(look('waiting'), 0);
  activity.clock.now = 2_199;
  expect(activity.liveMs(0)).toBe(1);
});

test('a body ends with its last byte, even if Chromium does not report it', () => {
  const activity = watched();
  activity.see(requested('fetch'));
  activity.see(responded('fetch', { length: 10 }));
  activity.see({ what: 'received', id: 'fetch', bytes: 10 });
  expect([activity.isFetching(), activity.respondedUrls()]).toEqual([false, 1]);
});

const look = (shows: 'showing' | 'waiting', size = 1, more = {}) => {
  const filled = {
    hasChanged: false,
    hasReplaced: false,
    hasGap: false,
    isRotating: false,
    isListening: true,
  };
  return { shows, size, ...filled, isInProgress: false, isProgressing: false, ...more };
};

test('what a page that waits for its content has open is waited for', () => {
  const activity = watched();
  activity.see(move('1'));
  activity.see(committed('1'));
  activity.see(ended('1'));
  activity.see({ what: 'loaded' });
  activity.patience.sees(look('waiting'), 0);
  expect(activity.opens()).toBeUndefined();
  activity.see({ what: 'streamed', id: 'e', by: 'stream' });
  expect(activity.opens()).toBe('stream');
  activity.see(socket());
  activity.clock.now = 60_000;
  expect([activity.opens(), activity.liveMs(0)]).toEqual(['socket', Infinity]);
  activity.see({ what: 'closed', id: 's' });
  activity.see({ what: 'failed', id: 'e', error: 'net::ERR_ABORTED', isCanceled: true });
  expect([activity.opens(), activity.liveMs(0)]).toEqual(['socket', 0]);
  activity.clock.now = 66_000;
  expect(activity.opens()).toBeUndefined();
  activity.see(requested('2', { url: 'https://a.example/2' }));
  activity.clock.now = 120_000;
  expect([activity.opens(), activity.isFetching()]).toEqual(['request', true]);
  activity.see(responded('2', { isInParts: true }));
  activity.clock.now = 180_000;
  expect([activity.opens(), activity.isFetching()]).toEqual(['stream', true]);
});

test('a page that shows its content is given 0.6 seconds from when it last grew', () => {
  const activity = watched();
  activity.see(requested('1', { isForContent: false }));
  activity.see(socket());
  activity.patience.sees(look('showing'), 0);
  activity.clock.now = 599;
  activity.see(message('messageReceived'));
  expect([activity.isFetching(), activity.liveMs(0), activity.patience.isOver()]).toEqual([true, 1, false]);
  activity.clock.now = 600;
  expect([activity.isFetching(), activity.liveMs(0), activity.patience.isOver()]).toEqual([false, 0, true]);
  activity.patience.sees(look('showing'), 590);
  expect(activity.patience.isOver()).toBe(true);
  activity.patience.sees(look('showing', 2), 590);
  expect(activity.patience.isOver()).toBe(false);
});

/** A page with little text, to whose socket the other end has answered after 0.5 seconds. */
function talking() {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(socket());
  activity.patience.sees(look('showing'), 0);
  activity.see(message('messageSent', 'subscribe'));
  activity.clock.now = 500;
  activity.see(message('messageReceived', 'subscribed'));
  activity.patience.sees(look('showing'), 0);
  return activity;
}

test('a socket by which a page with little text talks is waited for longer, but not for ever', () => {
  const activity = talking();
  activity.clock.now = 2_699;
  expect(activity.liveMs(0)).toBe(1);
  activity.clock.now = 4_000;
  activity.see(message('messageSent', 'more'));
  expect(activity.liveMs(0)).toBe(500);
  activity.patience.sees(look('showing', 301), 0);
  expect(activity.liveMs(0)).toBe(0);
});

test.each([
  ['says so', [message('messageReceived', '{"type":"ping"}')]],
  ['is of Engine.IO', [message('messageReceived', '2')]],
  ['is of MQTT', [message('messageReceived', 'wAA=')]],
  ['is of SignalR', [message('messageReceived', '{"type":6}\u001e')]],
  ['repeats an earlier message', [message('messageSent', 'subscribe')]],
  ['answers one', [message('messageSent', 'heartbeat'), message('messageReceived', 'ok')]],
])('a heartbeat that %s ends the dialogue of a socket', (_, messages) => {
  const activity = talking();
  activity.clock.now = 900;
  messages.forEach(activity.see);
  expect(activity.liveMs(0)).toBe(0);
});

test('a heartbeat answers no message of the page', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(socket());
  activity.see(message('messageSent', 'prices'));
  activity.see(message('messageReceived', '{"op":"ping"}'));
  activity.patience.sees(look('showing', 900, { hasGap: true }), 0);
  activity.clock.now = 3_999;
  expect(activity.liveMs(0)).toBe(1);
});

test('a long message is no heartbeat, whatever it says', () => {
  const activity = talking();
  activity.clock.now = 900;
  activity.see(message('messageReceived', `ping ${'word '.repeat(40)}`));
  expect(activity.liveMs(0)).toBe(2_200);
});

test('what a socket says before the first look is not what the page has grown by', () => {
  const activity = watched();
  activity.see(socket());
  activity.see(message('messageReceived', 'welcome'));
  activity.patience.sees(look('showing', 400), 0);
  activity.clock.now = 600;
  expect(activity.liveMs(0)).toBe(0);
});

test('a shared worker is not waited for without end, even by a page that waits', () => {
  const activity = watched();
  activity.see({ what: 'streamed', id: 's', by: 'worker' });
  activity.patience.sees(look('waiting'), 0);
  activity.clock.now = 999;
  expect(activity.liveMs(0)).toBe(1);
  activity.clock.now = 1_000;
  expect(activity.liveMs(0)).toBe(0);
});

test('a socket that does not answer is not waited for longer, nor one of a page that responses have filled', () => {
  const silent = watched();
  silent.see(socket());
  silent.patience.sees(look('showing'), 0);
  silent.see(message('messageSent', 'subscribe'));
  silent.clock.now = 600;
  expect(silent.liveMs(0)).toBe(0);
  const filled = talking();
  filled.see(requested('1'));
  filled.see({ what: 'received', id: '1', bytes: 10 });
  filled.see(ended('1'));
  filled.patience.sees(look('showing', 2, { hasChanged: true }), 0);
  filled.clock.now = 1_101;
  expect(filled.liveMs(0)).toBe(0);
});

test('messages that differ in numbers and by which the page does not grow are not waited for', () => {
  const activity = watched();
  activity.see({ what: 'streamed', id: 's', by: 'stream' });
  activity.patience.sees(look('showing', 10), 0);
  activity.see(message('messageReceived', '{"viewers":101}'));
  activity.patience.sees(look('showing', 30), 0);
  activity.clock.now = 600;
  expect(activity.liveMs(0)).toBe(1_600);
  activity.see(message('messageReceived', '{"viewers":102}'));
  activity.patience.sees(look('showing', 30), 0);
  expect(activity.liveMs(0)).toBe(0);
});

test('a page that responses have filled gives later requests two seconds, and lacks what does not come', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(requested('1'));
  activity.clock.now = 100;
  activity.see({ what: 'received', id: '1', bytes: 10 });
  activity.see(ended('1'));
  activity.see(requested('2', { url: 'https://a.example/updates' }));
  activity.patience.sees(look('showing', 9, { hasChanged: true }), 100);
  activity.clock.now = 2_099;
  expect([activity.isFetching(), activity.lacks()]).toEqual([true, 'load']);
  activity.see({ what: 'loaded' });
  activity.clock.now = 2_100;
  expect([activity.isFetching(), activity.lacks()]).toEqual([false, 'request']);
});

test('a place that has responded without a change to the page is no news, and not waited for', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing'), 0);
  const poll = (n: number) =>
    activity.see(requested(String(n), { url: `https://a.example/since?n=${n}`, at: n * 400 }));
  poll(1);
  activity.clock.now = 1_000;
  activity.see(ended('1'));
  activity.clock.now = 1_001;
  poll(2);
  activity.clock.now = 1_601;
  expect([activity.isFetching(), activity.isContentMissing()]).toEqual([false, false]);
  activity.see(ended('2'));
  expect(activity.respondedUrls()).toBe(1);
});

test('a place that has responded to the document before may have news of this one', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing'), 0);
  activity.see(requested('1', { url: 'https://a.example/since?n=1' }));
  activity.see(ended('1'));
  activity.see(committed('9'));
  activity.see(requested('2', { url: 'https://a.example/since?n=2' }));
  expect(activity.isContentMissing()).toBe(true);
});

test('three new URLs that change nothing are news of a page that shows its content, and no more', () => {
  const activity = watched();
  activity.patience.sees(look('showing'), 0);
  const respond = (id: string) => {
    activity.see(requested(id, { url: `https://a.example/${id}` }));
    activity.see(ended(id));
  };
  ['1', '2', '3', '4', '5'].forEach(respond);
  expect(activity.respondedUrls()).toBe(3);
  activity.patience.sees(look('showing', 2), 0);
  respond('6');
  expect(activity.respondedUrls()).toBe(4);
});

test.each([
  [
    'requests an address again',
    [requested('1'), responded('1'), requested('2', { url: 'https://a.example/?n=2' })],
    true,
  ],
  [
    'requests an address twice at a time',
    [requested('1'), requested('2', { url: 'https://a.example/?n=2' })],
    false,
  ],
  [
    'requests one page of a list after another',
    [
      requested('1', { url: 'https://a.example/?page=1' }),
      responded('1'),
      requested('2', { url: 'https://a.example/?page=2' }),
    ],
    false,
  ],
  [
    'carries the time in its query',
    [
      requested('1', { url: 'https://a.example/?of=1&now=1732617000123' }),
      responded('1'),
      requested('2', { url: 'https://a.example/?of=1&now=1732617001456' }),
    ],
    true,
  ],
  ['requests two addresses', [requested('1'), requested('2', { url: 'https://a.example/2' })], false],
  [
    'requests an address of the document before it',
    [requested('1'), responded('1'), committed('0'), requested('2')],
    false,
  ],
  ['follows a redirect', [requested('1'), requested('1', { isRedirect: true })], false],
  ['is to come again later', [requested('1'), responded('1', { isNotYet: true })], true],
  [
    'requests what is new, which is nothing',
    [requested('1'), responded('1', { isEmpty: true }), requested('2', { url: 'https://a.example/?n=2' })],
    false,
  ],
] as const)('a page that %s polls or not', (_, facts, isPolling) => {
  const activity = watched();
  activity.see(committed('d'));
  for (const fact of facts) activity.see(fact);
  activity.clock.now = 5_999;
  expect(activity.isPolling()).toBe(isPolling);
  activity.clock.now = 6_000;
  expect(activity.isPolling()).toBe(false);
});

test.each([
  ['third parties have sent nothing for a second', 'https://b.example/', 1_000],
  ['its own server has sent nothing for four', 'https://api.a.example/', 4_000],
])('a document is abandoned once %s, and sooner if it is parsed and shows its content', (_, url, ms) => {
  const activity = watched();
  activity.see(move('1'));
  activity.see(committed('1'));
  activity.see(ended('1'));
  activity.see(requested('2', { url }));
  activity.clock.now = ms;
  expect(activity.isAbandoned('unknown')).toBe(true);
  activity.clock.now = ms - 1;
  expect(activity.isAbandoned('unknown')).toBe(false);
});

test('documents with the URL of the last one are counted', () => {
  const activity = watched();
  const come = (id: string, url: string): Fact => ({
    what: 'committed',
    id,
    url,
    isErrorPage: false,
    isRestored: false,
  });
  for (const id of ['1', '2', '3']) activity.see(come(id, 'https://a.example/'));
  expect(activity.reloads()).toBe(2);
  activity.see(come('4', 'https://a.example/in'));
  expect(activity.reloads()).toBe(0);
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

test('no long stretch of page time is skipped while an event stream that has ended may come again', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see({ what: 'streamed', id: 'e', by: 'stream' });
  activity.see(ended('e'));
  activity.clock.now = 999;
  expect(activity.isLive()).toBe(true);
  activity.clock.now = 1_000;
  expect(activity.isLive()).toBe(false);
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

test('a part by which a page that shows some content grows is followed by another for 2.2 seconds', () => {
  const activity = watched();
  activity.see(requested('1'));
  activity.see(responded('1'));
  activity.patience.sees(look('showing', 5), 0);
  activity.clock.now = 30;
  activity.see({ what: 'received', id: '1', bytes: 10 });
  activity.patience.sees(look('showing', 9), 30);
  activity.clock.now = 2_229;
  expect([activity.isFetching(), activity.liveMs(0), activity.patience.isOver()]).toEqual([true, 1, false]);
  expect(activity.isWriting()).toBe(true);
  activity.clock.now = 2_230;
  expect([activity.isFetching(), activity.liveMs(0), activity.patience.isOver()]).toEqual([false, 0, true]);
});

test('a part by which the page does not grow may be followed by one by which it does, two may not', () => {
  const activity = watched();
  activity.see(requested('1'));
  activity.see(responded('1'));
  activity.patience.sees(look('showing', 5), 0);
  const isWritingAfter = (size: number) => {
    activity.see({ what: 'received', id: '1', bytes: 10 });
    activity.patience.sees(look('showing', size), 0);
    return activity.isWriting();
  };
  expect([9, 9, 13, 13, 13].map(isWritingAfter)).toEqual([true, true, true, true, false]);
});

test('what a page shows after the last part is waited for', () => {
  const activity = watched();
  activity.see(requested('1', { isForParts: true }));
  activity.patience.sees(look('showing', 5), 0);
  activity.clock.now = 1_000;
  activity.see(ended('1'));
  activity.clock.now = 1_599;
  expect(activity.patience.isOver()).toBe(false);
  activity.clock.now = 1_600;
  expect(activity.patience.isOver()).toBe(true);
});

const REPORT = { method: 'POST' };

test.each([
  ['accepts a report', [requested('1'), responded('1', { isNotYet: true })], false],
  [
    'accepts a request that comes again',
    [requested('1'), responded('1', { isNotYet: true }), requested('2')],
    true,
  ],
  [
    'accepts reports again and again',
    [requested('1', REPORT), responded('1', { isNotYet: true }), requested('2', REPORT)],
    false,
  ],
  [
    'says where to ask again',
    [requested('1'), responded('1', { isNotYet: true, later: 'https://a.example/2' })],
    true,
  ],
  [
    'has the answer by now',
    [
      requested('1'),
      responded('1', { isNotYet: true, later: 'https://a.example/' }),
      requested('2', { url: 'https://a.example/?n=2' }),
      responded('2'),
    ],
    false,
  ],
] as const)('a page that shows some content waits or not where its server %s', (_, facts, isWaiting) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing'), 0);
  for (const fact of facts) activity.see(fact);
  expect(activity.patience.shows() === 'waiting').toBe(isWaiting);
});

test.each([
  ['asks its server for content', {}, true],
  ['asks for something else', { isForContent: false }, false],
  ['asks another site', { url: 'https://b.example/' }, true],
  ['loads a script of another site', { url: 'https://b.example/', isPassive: true }, false],
])('content is missing or not of a page that %s', (_, more, isMissing) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(requested('1', more));
  expect(activity.isContentMissing()).toBe(isMissing);
});

test('of what a page that waits has open, a socket comes first and a worker last', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see({ what: 'loaded' });
  activity.see({ what: 'attached', id: 'w', isWorker: true });
  expect(activity.opens()).toBe('worker');
  activity.see(requested('1'));
  activity.see(responded('1', { isNotYet: true }));
  expect(activity.opens()).toBe('poll');
  activity.see(socket());
  expect(activity.opens()).toBe('socket');
});

test('a page waits for what its server has not got yet, as it says in the answers to a poll', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing', 900), 0);
  const answer = (id: string, isPending: boolean) => {
    const at = Number(id) * 1_000;
    activity.see(requested(id, { url: 'https://a.example/berth', at }));
    activity.see(responded(id, { isAtomic: true, at }));
    activity.see({ what: 'received', id, bytes: 15 });
    activity.see(ended(id, at));
    const due = activity.answers.areDue();
    activity.answers.unread().forEach((unread) => activity.answers.judge(unread, isPending));
    return [due, activity.answers.arePending(), activity.isPolling(), activity.patience.shows()];
  };
  expect(answer('1', true)).toEqual([false, true, false, 'showing']);
  expect(answer('2', true)).toEqual([true, true, true, 'waiting']);
  expect(answer('3', false)).toEqual([true, false, false, 'showing']);
});

test('a server that fails for now may have an answer later, until it has one', () => {
  const activity = watched();
  activity.see(committed('0'));
  const isPending = ['1', '2'].map((id) => {
    activity.see(requested(id));
    activity.see(responded(id, { isNotYet: id === '1' }));
    return activity.answers.arePending();
  });
  expect(isPending).toEqual([true, false]);
});

test('no more than two answers of a place are read that do not say so, and none that is long', () => {
  const activity = watched();
  activity.see(committed('0'));
  const bytes = [15, 15, 15, 2_001];
  const read = bytes.map((length, n) => {
    const [id, url] = [String(n), `https://a.example/${length}`];
    activity.see(requested(id, { url, at: n * 1_000 }));
    activity.see(responded(id, { isAtomic: true }));
    activity.see({ what: 'received', id, bytes: length });
    activity.see(ended(id));
    const ids = activity.answers.unread();
    ids.forEach((unread) => activity.answers.judge(unread, false));
    return ids.length;
  });
  expect(read).toEqual([1, 1, 0, 0]);
});

const LOADED: Fact = { what: 'loaded' };

test.each<[string, Partial<Screen>, RenderWaiting | undefined]>([
  ['waits', { shows: 'waiting' }, undefined],
  ['counts down', { shows: 'waiting', isProgressing: true }, 'timer'],
  ['shows progress that moves', { shows: 'showing', isProgressing: true }, 'timer'],
])('a page that %s, with nothing open, waits for a timer or for nothing', (_, more, waiting) => {
  const activity = watched();
  for (const fact of [committed('0'), LOADED]) activity.see(fact);
  activity.patience.sees({ ...look('showing'), ...more }, 0);
  expect([activity.opens(), activity.lacks()]).toEqual([waiting, waiting]);
  activity.see(requested('1', { isForContent: true }));
  expect(activity.opens()).toBe('request');
});

test('a page that shows little is given 4.5 seconds for the content that it requests first', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(requested('1'));
  activity.patience.sees(look('showing'), 0);
  activity.clock.now = 4_499;
  expect(activity.isFetching()).toBe(true);
  activity.clock.now = 4_500;
  expect(activity.isFetching()).toBe(false);
});

test('a page that shows the progress of what it polls for waits', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing', 400, { isInProgress: true }), 0);
  expect(activity.patience.shows()).toBe('showing');
  for (const fact of [requested('1'), responded('1'), requested('2')]) activity.see(fact);
  expect(activity.patience.shows()).toBe('waiting');
});

test('a few bytes of a body are not what a page has grown by', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing', 10), 0);
  activity.see(requested('1'));
  activity.see(responded('1'));
  activity.see({ what: 'received', id: '1', bytes: 2 });
  activity.patience.sees(look('showing', 40), 0);
  expect(activity.isWriting()).toBe(false);
  activity.see({ what: 'received', id: '1', bytes: 30 });
  activity.patience.sees(look('showing', 70), 0);
  expect(activity.isWriting()).toBe(true);
});

test('requests of a frame are news each time, for its growth is not seen', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing', 400), 0);
  for (const [n, isFramed] of [true, true, true, true, true, false, false].entries()) {
    activity.clock.now = n;
    const url = `https://a.example/rows?page=${n}`;
    activity.see(requested(String(n), { url, isFramed, at: n * 100 }));
    activity.see(responded(String(n)));
    activity.see(ended(String(n)));
  }
  expect(activity.respondedUrls()).toBe(6);
});

/** A page with much text, of which a look shows this. */
function reading(more = {}) {
  const activity = watched();
  activity.see(committed('0'));
  activity.see({ what: 'loaded' });
  activity.see(requested('1', { url: 'https://a.example/1', ...more }));
  return activity;
}

test.each([
  ['a part is empty', { hasGap: true }, {}, 4_500],
  ['a script of its own is missing', {}, { isPassive: true }, 4_500],
  [
    'a script of its own is missing, and another has put something in place',
    { hasReplaced: true },
    { isPassive: true },
    600,
  ],
  ['a script of another site is missing', {}, { isPassive: true, url: 'https://b.example/' }, 600],
  [
    'a frame of another site is missing',
    {},
    { isPassive: true, isFramed: true, url: 'https://b.example/' },
    700,
  ],
  ['nothing seems to be missing', {}, {}, 4_500],
  ['nothing of its own server is missing', {}, { url: 'https://b.example/' }, 700],
  ['a part is empty for another server', { hasGap: true }, { url: 'https://b.example/' }, 2_500],
])('a page with much text of which %s waits for a request', (_, screen, request, ms) => {
  const activity = reading(request);
  activity.patience.sees(look('showing', 900, screen), 0);
  activity.clock.now = ms - 1;
  expect(activity.isFetching()).toBe(true);
  activity.clock.now = ms;
  expect(activity.isFetching()).toBe(false);
});

test.each([
  ['a part is empty', { hasGap: true }, true],
  ['nothing seems to be missing', {}, false],
])('a page of which %s may still lack what it requests after its content', (_, screen, isWaiting) => {
  const activity = reading();
  activity.see({ what: 'received', id: '1', bytes: 10 });
  activity.see(ended('1'));
  activity.clock.now = 100;
  activity.patience.sees(look('showing', 900, { hasChanged: true, ...screen }), 100);
  activity.see(requested('2', { url: 'https://a.example/2' }));
  activity.clock.now = 4_599;
  expect([activity.isFetching(), activity.lacks()]).toEqual([isWaiting, 'request']);
});

test.each([
  ['after a request', [false, true], 4_500],
  ['before it', [true, true], 2_000],
])('tips that a page shows %s leave it time until its content comes', (_, replaced, ms) => {
  const activity = reading();
  replaced.forEach((hasReplaced, n) => {
    activity.clock.now = n * 100;
    activity.patience.sees(look('showing', 20, { hasReplaced }), activity.clock.now);
  });
  activity.clock.now = ms - 1;
  expect(activity.isFetching()).toBe(true);
  activity.clock.now = ms;
  expect(activity.isFetching()).toBe(false);
});

test.each([
  [{ hasGap: true }, 'socket', 3_000],
  [{}, undefined, 0],
] as const)('a socket that does not answer is waited for while a part is missing', (screen, lacks, ms) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see({ what: 'loaded' });
  activity.see(socket());
  activity.see(message('messageSent'));
  activity.patience.sees(look('showing', 900, screen), 0);
  activity.clock.now = 1_000;
  expect([activity.lacks(), activity.liveMs(0)]).toEqual([lacks, ms]);
  activity.see(message('messageReceived'));
  expect(activity.lacks()).toBeUndefined();
});

test('a socket that has said one thing beside much text is not waited for until it has said more', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(socket());
  activity.patience.sees(look('showing', 900), 0);
  activity.see(message('messageReceived', 'hello'));
  activity.patience.sees(look('showing', 920), 0);
  activity.clock.now = 600;
  expect(activity.liveMs(0)).toBe(0);
  activity.see(message('messageReceived', 'newer'));
  activity.patience.sees(look('showing', 940), 600);
  expect(activity.liveMs(0)).toBe(2_200);
});

test('a body that shows nothing before its end is no stream', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(requested('1'));
  activity.see(responded('1', { isAtomic: true }));
  activity.see({ what: 'received', id: '1', bytes: 10 });
  activity.patience.sees(look('showing', 900), 0);
  activity.clock.now = 600;
  expect([activity.liveMs(0), activity.patience.isOver()]).toEqual([0, true]);
});

test('what a service worker requests brings news as soon as its server responds', () => {
  const activity = reading({ isOfWorker: true, isOfServiceWorker: true });
  activity.patience.sees(look('showing', 900), 0);
  activity.clock.now = 1_300;
  expect(activity.patience.isOver()).toBe(true);
  activity.see(responded('1'));
  expect([activity.respondedUrls(), activity.patience.isOver()]).toEqual([1, false]);
});

test('what a service worker stores is no news, and the page lacks none of it', () => {
  const more = { isOfWorker: true, isOfServiceWorker: true };
  const activity = reading(more);
  expect(activity.isContentMissing()).toBe(true);
  for (const n of ['2', '3']) activity.see(requested(n, { url: `https://a.example/${n}`, ...more }));
  expect(activity.isContentMissing()).toBe(false);
  activity.see(ended('1'));
  expect(activity.respondedUrls()).toBe(0);
});

test('a URL that has responded is known, though the end of its body is not reported', () => {
  const activity = reading();
  activity.see(responded('1'));
  activity.see(requested('2', { url: 'https://a.example/1' }));
  activity.see(ended('1'));
  expect(activity.isContentMissing()).toBe(false);
});

test('a document that a script of another site holds up is not waited for once it shows its content', () => {
  const activity = reading({ url: 'https://b.example/' });
  activity.clock.now = 400;
  expect([activity.isAbandoned('showing'), activity.isAbandoned('unknown')]).toEqual([true, false]);
  activity.clock.now = 399;
  expect(activity.isAbandoned('showing')).toBe(false);
});

const ADVERT = { url: 'https://b.example/ad', isFramed: true, isPassive: true };

test('frames of another site that load again and again hold up no document, and are no poll', () => {
  const activity = reading({ url: 'https://b.example/' });
  activity.clock.now = 300;
  activity.see(requested('2', ADVERT));
  activity.see(responded('2'));
  activity.see(ended('2'));
  activity.clock.now = 399;
  activity.see(requested('3', { ...ADVERT, at: 900 }));
  activity.clock.now = 400;
  expect([activity.isAbandoned('showing'), activity.isPolling()]).toEqual([true, false]);
});

test('a script of another site that nobody sends holds up a page that may show its content for 2.5 s', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(requested('1', { url: 'https://b.example/', isPassive: true }));
  activity.clock.now = 2_499;
  expect(activity.isFetching()).toBe(true);
  activity.clock.now = 2_500;
  expect(activity.isFetching()).toBe(false);
  activity.patience.sees(look('waiting'), 0);
  expect(activity.isFetching()).toBe(true);
});

test('what another response makes a page request is waited for, but not what a timer repeats', () => {
  const isWaitedFor = (afterMs: number) => {
    const activity = reading();
    activity.patience.sees(look('showing', 900), 0);
    activity.see(responded('1', { at: 5_000 }));
    activity.see(ended('1', 5_000));
    activity.clock.now = 1;
    activity.see(requested('2', { url: 'https://a.example/1?page=2', at: 5_000 + afterMs }));
    activity.clock.now = 700;
    return activity.isFetching();
  };
  expect([isWaitedFor(1), isWaitedFor(500)]).toEqual([true, false]);
});

test('a request with another body asks for something else', () => {
  const activity = reading({ method: 'POST', sends: 'event' });
  activity.patience.sees(look('showing', 900), 0);
  activity.see(responded('1', { at: 5_000 }));
  activity.see(ended('1', 5_000));
  for (const [id, sends] of [
    ['2', 'event'],
    ['3', 'seats'],
  ] as const) {
    activity.see(requested(id, { url: 'https://a.example/1', method: 'POST', sends, at: 5_001 }));
    expect(activity.isContentMissing()).toBe(id === '3');
  }
});

test('a response that scripts cannot read is neither content nor waited for', () => {
  const activity = reading({ url: 'https://b.example/1' });
  activity.see({ what: 'opaque', id: '1' });
  activity.patience.sees(look('showing', 900), 0);
  expect([activity.isFetching(), activity.isContentMissing()]).toEqual([false, false]);
});

test.each([
  ['its own server every second', 'https://a.example/', 1_000, true],
  ['its own server every two seconds', 'https://a.example/', 2_000, false],
  ['another server', 'https://b.example/', 1_000, false],
])('a page that looks whole waits for what it polls, or not: %s', (_, url, everyMs, isPolling) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing'), 0);
  for (const n of [1, 2])
    [requested(String(n), { url, at: n * everyMs }), responded(String(n))].forEach(activity.see);
  expect(activity.isPolling()).toBe(isPolling);
});

test.each([
  ['socket', 2_200],
  ['stream', 900],
] as const)('a page with little text is given time for the first message of a %s', (by, ms) => {
  const activity = watched();
  activity.see(committed('0'));
  for (let n = 0; n < 2; n += 1) activity.see({ what: 'streamed', id: 's', by });
  activity.patience.sees(look('showing'), 0);
  activity.clock.now = 700;
  expect(activity.liveMs(0)).toBe(ms - 700);
  activity.patience.sees(look('showing', 301), 0);
  activity.clock.now = 1_000;
  expect(activity.patience.isOver()).toBe(true);
});

test('a socket that is refused says nothing', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see(socket());
  activity.patience.sees(look('showing'), 0);
  activity.clock.now = 700;
  expect(activity.liveMs(0)).toBe(0);
});

test('an event stream that its server ends comes again', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see({ what: 'streamed', id: 's', by: 'stream' });
  activity.patience.sees(look('showing'), 0);
  activity.see(message('messageReceived'));
  activity.clock.now = 600;
  activity.see(ended('s'));
  activity.clock.now = 1_599;
  expect(activity.liveMs(0)).toBe(1);
});

test('a page with little text waits longer for another site that has responded, but not to what it sends', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see({ what: 'loaded' });
  activity.patience.sees(look('showing'), 0);
  activity.see(requested('1', { url: 'https://b.example/a.js', isPassive: true }));
  activity.see(responded('1'));
  activity.see(ended('1'));
  activity.see(requested('2', { url: 'https://b.example/rate' }));
  activity.clock.now = 2_499;
  expect(activity.isFetching()).toBe(true);
  activity.see(requested('3', { url: 'https://b.example/bid', method: 'POST' }));
  activity.clock.now = 2_500;
  expect(activity.isFetching()).toBe(false);
});

test.each([
  ['no message of which is heard', { isListening: false }, false],
  ['whose messages are heard', {}, true],
])('a frame of another site %s brings content or not', (_, screen, isMissing) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing', 400, screen), 0);
  activity.see(requested('1', { url: 'https://b.example/map', isFramed: true }));
  expect([activity.isFetching(), activity.isContentMissing()]).toEqual([isMissing, isMissing]);
});

test.each([
  ['that shows its content', {}, false],
  ['of which a part is empty', { hasGap: true }, true],
])('what timers post from a page %s is a report or not', (_, screen, isMissing) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see({ what: 'loaded' });
  activity.patience.sees(look('showing', 400, screen), 0);
  activity.see(requested('1', { method: 'POST', at: 500 }));
  expect([activity.isFetching(), activity.isContentMissing()]).toEqual([isMissing, isMissing]);
});

test('places that differ in numbers alone are one place', () => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing'), 0);
  activity.see(requested('1', { url: 'https://a.example/part/1' }));
  activity.clock.now = 1_000;
  activity.see(ended('1'));
  activity.clock.now = 1_001;
  activity.see(requested('2', { url: 'https://a.example/part/2', at: 400 }));
  expect(activity.isContentMissing()).toBe(false);
});

/** A page that shows its content, and has got this of a body of JSON. */
function begun() {
  const activity = reading();
  activity.patience.sees(look('showing', 900), 0);
  activity.see(responded('1', { isAtomic: true }));
  activity.see({ what: 'received', id: '1', bytes: 10 });
  expect(activity.inDoubt()).toEqual([]);
  activity.clock.now = 1_000;
  expect(activity.inDoubt()).toEqual(['1']);
  return activity;
}

test('a body of JSON that is cut off is waited for, and missing', () => {
  const activity = begun();
  activity.judge('1', false);
  activity.clock.now = 4_499;
  expect([activity.isFetching(), activity.lacks()]).toEqual([true, 'request']);
  activity.clock.now = 4_500;
  expect([activity.isFetching(), activity.lacks()]).toEqual([false, 'request']);
});

test('a body of JSON that is whole is not waited for, though its end is not reported', () => {
  const activity = begun();
  activity.judge('1', true);
  expect([activity.inDoubt(), activity.isFetching(), activity.lacks()]).toEqual([[], false, undefined]);
});

test.each([
  ['looks whole', {}, [0, undefined]],
  ['lacks a part', { hasGap: true }, [3_300, 'socket']],
])('a page with little text that %s waits for a message of another site or not', (_, screen, waits) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.see({ what: 'loaded' });
  activity.see({ what: 'streamed', id: 's', by: 'socket', url: 'wss://chat.example/' });
  activity.see(socket());
  activity.patience.sees(look('showing', 20, screen), 0);
  activity.clock.now = 700;
  expect([activity.liveMs(0), activity.lacks()]).toEqual(waits);
});

test.each([
  ['nothing', { isEmpty: true }, 0, false],
  ['an empty list', {}, 2, false],
  ['a page of it', {}, 90, true],
])('a list is requested page by page until its server responds with %s', (_, more, bytes, isMissing) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing'), 0);
  activity.see(requested('1', { url: 'https://a.example/list?page=1' }));
  activity.see(responded('1', more));
  activity.see({ what: 'received', id: '1', bytes });
  activity.see(ended('1'));
  activity.clock.now = 1;
  activity.see(requested('2', { url: 'https://a.example/list?page=2' }));
  expect(activity.isContentMissing()).toBe(isMissing);
});

test('lines by which a page has grown are missing until their body ends', () => {
  const activity = reading();
  activity.see(responded('1', { isInParts: true }));
  activity.see({ what: 'received', id: '1', bytes: 12 });
  activity.patience.sees(look('showing', 900), 0);
  activity.clock.now = 2_200;
  expect([activity.isWriting(), activity.lacks()]).toEqual([false, 'stream']);
  activity.see(ended('1'));
  expect(activity.lacks()).toBeUndefined();
});

test('the greeting of a body in parts is not what a page grows by', () => {
  const activity = reading();
  activity.see(responded('1', { isInParts: true, isOfEvents: true }));
  activity.see({ what: 'received', id: '1', bytes: 13 });
  activity.patience.sees(look('showing', 900), 0);
  expect(activity.isWriting()).toBe(false);
  activity.see({ what: 'received', id: '1', bytes: 30 });
  expect(activity.isWriting()).toBe(true);
});

test.each([
  ['its own server, and shows little', 'https://a.example/?t=', 20, true],
  ['its own server, and shows much', 'https://a.example/?t=', 900, false],
  ['another server', 'https://b.example/?1732617000', 20, false],
])('what timers repeat is no news, nor waited for, but of a page that polls %s', (_, url, size, is) => {
  const activity = watched();
  activity.see(committed('0'));
  activity.patience.sees(look('showing', size), 0);
  for (const n of [100, 200, 300]) {
    activity.clock.now = n;
    activity.see(requested(String(n), { url: url + String(n), at: n * 10 }));
    if (n < 300) activity.see(responded(String(n), { at: n * 10 }));
    if (n < 300) activity.see(ended(String(n), n * 10));
  }
  expect([activity.isFetching(), activity.respondedUrls()]).toEqual([is, 1]);
});

test('a list that grows page by page is waited for, with timers between its pages too', () => {
  const activity = watched();
  activity.see(committed('0'));
  for (const n of [1, 2, 3]) {
    activity.clock.now = n * 100;
    activity.patience.sees(look('showing', 900 + n * 50), n * 100);
    activity.see(requested(String(n), { url: `https://a.example/rows?n=${n}`, at: n * 1_000 }));
    if (n < 3) activity.see(responded(String(n), { at: n * 1_000 }));
    if (n < 3) activity.see(ended(String(n), n * 1_000));
  }
  activity.clock.now = 1_500;
  expect(activity.isFetching()).toBe(true);
});
