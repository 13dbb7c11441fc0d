import { expect, test } from 'vitest';
import { type Observation, UNKNOWN } from '../../functions/browser/readiness/observation.ts';
import { LOADING, type Readiness, started } from '../../functions/browser/readiness/readiness.ts';
import { transition } from '../../functions/browser/readiness/transitions.ts';

const SHOWING = {
  shows: 'showing',
  isInTransition: false,
  isIdling: false,
  mayFollowPaint: false,
} as const;
const WAITING = { ...SHOWING, shows: 'waiting' } as const;
/** A page at rest, after a look at its screen. */
const AT_REST: Observation = { ...UNKNOWN, isLoaded: true, at: 5_000, screen: SHOWING };
const BEGUN = started({ at: 0, work: 0, wall: 0, respondedUrls: 0 });
/** All its time is over, and its threads have been quiet for long enough. */
const SPENT: Readiness = {
  ...BEGUN,
  state: 'expecting',
  clock: 'still',
  restAt: 5_000,
  quietTicksLeft: 0,
  isSeen: true,
};

type Row = [
  because: string,
  before: Partial<Readiness>,
  seen: Partial<Observation>,
  after: Pick<Readiness, 'state'> & Partial<Readiness>,
];

const LOADS: Row[] = [
  ['the document is loading', {}, { isLoaded: false }, { state: 'loading', clock: 'wall' }],
  [
    'what is missing of the document is not waited for',
    {},
    { isLoaded: false, isAbandoned: true, at: 100 },
    { state: 'running', clock: 'skip', restAt: 5_100 },
  ],
  ['nothing in the document can change it', {}, { isStatic: true }, { state: 'idle' }],
  [
    'the document has loaded',
    {},
    { at: 100 },
    { state: 'running', clock: 'skip', restAt: 5_100, endAt: 20_100 },
  ],
];

const SETTLES: Row[] = [
  ['the page navigates', {}, { hasLeft: true, respondedUrls: 1 }, { state: 'idle' }],
  ...[
    [{ isSeen: false }, {}],
    [{ isSeen: false }, { isFetching: true, isHeadMissing: true, liveMs: 9 }],
    [{ isSeen: false }, { isFetching: true, isHeadMissing: true, wall: 500 }],
    [{ lookAt: 900 }, { wall: 900, liveMs: 9 }],
    [{}, { isFetching: true, silentMs: 500 }],
    [{}, { isAnswered: true }],
    [{ seenUrls: 1 }, { respondedUrls: 4 }],
  ].map(([before, seen]): Row => [
    'what the page shows is not known',
    before as Partial<Readiness>,
    { screen: undefined, ...seen },
    { state: 'expecting', clock: 'still' },
  ]),
  [
    'a worker or a stream has time of its own',
    { restAt: 9_000 },
    { liveMs: 600, expectedMs: 600 },
    { state: 'expecting', clock: 'tick', tickMs: 600, restAt: 10_000 },
  ],
  [
    'a worker or a stream has time of its own',
    { restAt: 9_000 },
    { threads: 'workers' },
    { state: 'expecting', clock: 'tick', tickMs: 16 },
  ],
  [
    'a URL has responded for the first time',
    {},
    { respondedUrls: 1 },
    { state: 'running', clock: 'skip', restAt: 10_000, respondedUrls: 1 },
  ],
  [
    'threads of the pool answer the page',
    { restAt: 9_000, pool: { turns: 2, heldMsLeft: 900 } },
    { threads: 'pool' },
    { state: 'expecting', clock: 'tick', tickMs: 16 },
  ],
  ['page time is left', { restAt: 5_002 }, { expectedMs: 9 }, { state: 'running', clock: 'skip' }],
  ['threads have just worked', { quietTicksLeft: 1 }, {}, { state: 'expecting', clock: 'tick', tickMs: 0 }],
  ['work may follow', {}, { expectedMs: 600 }, { state: 'expecting', clock: 'tick', tickMs: 600 }],
  ['nothing follows', { busyTicksLeft: 0 }, { expectedMs: 30 }, { state: 'idle' }],
  ['work may follow', { busyTicksLeft: 0 }, { expectedMs: 600 }, { state: 'expecting' }],
  ['the screen is not inspected yet', {}, { screen: undefined }, { state: 'expecting', clock: 'still' }],
  [
    'a view transition is drawn',
    {},
    { screen: { ...SHOWING, isInTransition: true } },
    { state: 'running', restAt: 7_000, isDrawn: true },
  ],
  [
    'a page that lacks its content may wait for a paint',
    {},
    { screen: { ...SHOWING, mayFollowPaint: true } },
    { state: 'running', restAt: 7_000, isDrawn: false, isPainted: true },
  ],
  [
    'work of the wall clock has reached the page',
    {},
    { work: 1 },
    { state: 'running', restAt: 7_000, sequelsLeft: 2 },
  ],
  [
    'an idle callback is pending',
    {},
    { screen: { ...SHOWING, isIdling: true } },
    { state: 'running', restAt: 7_000 },
  ],
  [
    'a page that polls still waits for its content',
    { waitsUntil: 0, isPainted: true },
    { screen: WAITING, isPolling: true },
    { state: 'running', restAt: 10_000 },
  ],
  [
    'a page that waits for its content may still request it',
    { waitsUntil: 6_000, isPainted: true },
    { screen: WAITING },
    { state: 'running', restAt: 7_000 },
  ],
  ['nothing follows', { waitsUntil: 6_000 }, {}, { state: 'idle' }],
  ['nothing follows', { waitsUntil: 5_000, isPainted: true }, { screen: WAITING }, { state: 'idle' }],
];

test('a look tells when the next one is due, and what had responded until then', () => {
  const seen = { ...AT_REST, wall: 700, respondedUrls: 2, screen: WAITING };
  expect(transition({ ...SPENT, isSeen: false }, seen)).toMatchObject({
    isSeen: true,
    seenUrls: 2,
    lookAt: 950,
  });
});

test('a page that has shown its content for long enough is not kept by workers and streams', () => {
  const seen: Observation = { ...AT_REST, isShown: true, liveMs: 600, threads: 'workers', work: 1 };
  expect(transition(SPENT, seen)).toMatchObject({ state: 'idle' });
});

test.each(LOADS)('a page that loads: %s', (because, before, seen, after) => {
  expect(transition({ ...LOADING, ...before }, { ...AT_REST, ...seen })).toMatchObject({ because, ...after });
});

test.each(SETTLES)('a page that settles: %s', (because, before, seen, after) => {
  expect(transition({ ...SPENT, ...before }, { ...AT_REST, ...seen })).toMatchObject({ because, ...after });
});

test('work of the wall clock makes a page run on three times, and no more', () => {
  const seen = { ...AT_REST, work: 1 };
  expect(transition({ ...SPENT, sequelsLeft: 0 }, seen)).toMatchObject({ state: 'idle' });
});

test('a page that has had twenty seconds of its time continues at the pace of the wall clock', () => {
  const late = { ...AT_REST, at: 20_000 };
  const before = { ...SPENT, restAt: 20_000 };
  expect(transition(before, { ...late, respondedUrls: 1 })).toMatchObject({
    state: 'expecting',
    clock: 'tick',
  });
  const screen = { ...SHOWING, isInTransition: true };
  expect(transition(before, { ...late, screen })).toMatchObject({ state: 'idle' });
});

test('frames that came late give page time back', () => {
  expect(transition(BEGUN, { ...AT_REST, at: 500, lateMs: 64 })).toMatchObject({ restAt: 5_064 });
});

test('a page is quiet after two ticks in which nothing worked, and gets its time back three after a worker', () => {
  const ticksUntilQuiet = (threads: Observation['threads'], work = 0, isShown = false) => {
    const ticking: Readiness = { ...SPENT, clock: 'tick', quietTicksLeft: 1 };
    const seen = { ...AT_REST, screen: undefined, isShown };
    let readiness = transition(ticking, { ...seen, threads, work });
    let ticks = 0;
    for (; readiness.clock === 'tick'; ticks += 1) readiness = transition(readiness, { ...seen, work });
    return ticks;
  };
  expect(ticksUntilQuiet('none', 1)).toBe(2);
  expect(ticksUntilQuiet('pool')).toBe(2);
  expect(ticksUntilQuiet('workers')).toBe(3);
  expect(ticksUntilQuiet('workers', 0, true)).toBe(0);
});

test('the timers of a page that never rests keep it from being quiet for 15 ticks, until a URL responds', () => {
  let readiness: Readiness = { ...SPENT, clock: 'tick' };
  let ticks = 0;
  for (; readiness.clock === 'tick'; ticks += 1)
    readiness = transition(readiness, { ...AT_REST, screen: undefined, work: ticks + 1 });
  expect(ticks).toBe(17);
  const seen = { ...AT_REST, work: ticks + 1 };
  expect(transition(readiness, seen)).toMatchObject({ state: 'idle' });
  expect(transition(readiness, { ...seen, respondedUrls: 1 })).toMatchObject({ busyTicksLeft: 15 });
});

test('a tick lasts one frame while threads are busy', () => {
  const ticking: Readiness = { ...SPENT, clock: 'tick' };
  expect(transition(ticking, { ...AT_REST, threads: 'workers', expectedMs: 600 })).toMatchObject({
    tickMs: 16,
  });
});
