import { setTimeout } from 'node:timers/promises';
import type { Tab } from '../page/tab.ts';
import { caughtUp } from './caught-up.ts';
import { AT_FIRST, type Clock } from './clock-state.ts';
import { type Policy, pulse, type Reading, readingOf, runTime, TOLERANCE_MS } from './virtual-time.ts';

const FRAME_MS = 16;
const TIMEOUT_MS = 250;
/** Page time, and wall time, in which another thread may answer. */
const PULSE_MS = 1;
/** Between two frames: more than the 0.1 ms to which pages see time. */
const SHORTEST_MS = 0.2;
/** Page time to skip when only streams are open: a fetch begun within it does not stop the clock. */
const BACKGROUND_STEP_MS = 1_000;

/** `work` grows with what the page does. */
export type Moment = { at: number; work: number };

/** Runs time as fast as the page's work allows, and draws frames on request. https://chromedevtools.github.io/devtools-protocol/tot/Emulation/#method-setVirtualTimePolicy */
export type PageClock = {
  moment: () => Promise<Moment>;
  /** Runs an inspection of the page, which does not count as its work. */
  unnoticed: <T>(look: Promise<T>) => Promise<T>;
  /** `isDrawn`: it must be drawn, which is slow. */
  frame: (isDrawn?: boolean) => Promise<void>;
  /** Draws the last frame of a document: until the next one has come, `mayDraw` is false. */
  lastFrame: () => Promise<void>;
  /** Draws frames from now on, which is slow but needed by view transitions. */
  startDrawing: () => void;
  /** Runs clock and frames at wall-clock pace until the work is done. */
  during: <T>(work: Promise<T>) => Promise<T>;
  /** Skips page time, at wall-clock pace while `isHeld`. */
  skip: (from: Moment, ms: number, isHeld: () => boolean, signal: AbortSignal) => Promise<Moment>;
  /** From now on the page's clock is compared with the wall clock. */
  compare: () => void;
  /** Stops the page's clock until the wall clock has come as far. */
  catchUp: (signal: AbortSignal) => Promise<void>;
};

type Needs = Pick<Clock, 'mayDraw' | 'isPoolBusy'>;

export function pageClock({ session }: Pick<Tab, 'session'>, needs: Needs): PageClock {
  const clock: Clock = {
    ...needs,
    page: session,
    ...AT_FIRST,
  };
  return {
    moment: () => read(clock),
    async unnoticed(look) {
      try {
        return await look;
      } finally {
        clock.last = await readingOf(session);
      }
    },
    frame: (isDrawn) => frame(clock, isDrawn),
    lastFrame: () => frame(clock, true, () => true),
    startDrawing: () => (clock.isDrawn = true),
    during: (work) => during(clock, work),
    async skip(from, ms, isHeld, signal) {
      const end = from.at + ms;
      let now = from;
      while (now.at < end - TOLERANCE_MS && !signal.aborted) now = await step(clock, now.at, end, isHeld);
      return now;
    },
    compare: () => (clock.compared = { at: clock.last.at, wall: performance.now() }),
    catchUp(signal) {
      clock.stops += 1;
      return caughtUp(() => read(clock), clock.compared, signal).finally(() => {
        clock.stops -= 1;
        clock.tickedAt = performance.now();
      });
    },
  };
}

async function frame(clock: Clock, isDrawn = clock.isDrawn, mayDraw = clock.mayDraw): Promise<void> {
  await Promise.race([drawn(clock, isDrawn, mayDraw), setTimeout(TIMEOUT_MS, undefined, { ref: false })]);
}

async function drawn(clock: Clock, isDrawn: boolean, mayDraw: () => boolean): Promise<void> {
  // What the page has done since may be missing in a frame under way, and Chromium rejects a second one.
  if (clock.drawing) await clock.drawing;
  if (!mayDraw()) return;
  clock.drawing ??= begin(clock, isDrawn)
    .catch(() => undefined)
    .finally(() => (clock.drawing = undefined));
  await clock.drawing;
}

/** Chromium never finishes a frame at the time of the one before, as when the page's clock stood still. */
async function begin(clock: Clock, isDrawn: boolean): Promise<void> {
  const { page, isVirtual } = clock;
  // Frames before had Chromium's own time.
  if (isVirtual && clock.framedAt === 0) await read(clock);
  if (isVirtual) clock.framedAt = Math.max(clock.last.at, clock.framedAt + SHORTEST_MS);
  await page.send('HeadlessExperimental.beginFrame', {
    noDisplayUpdates: !isDrawn,
    ...(isVirtual && { frameTimeTicks: clock.framedAt }),
  });
}

async function read(clock: Clock): Promise<Moment> {
  return note(clock, await readingOf(clock.page));
}

function note(clock: Clock, now: Reading): Moment {
  if (now.scripts > clock.last.scripts || now.heap > clock.last.heap) clock.work += 1;
  clock.last = now;
  return { at: now.at, work: clock.work };
}

async function run(
  clock: Clock,
  policy: Policy,
  from: number,
  to: number,
  timeoutMs: number,
): Promise<Moment> {
  return note(clock, await runTime(clock.page, policy, from, to, timeoutMs));
}

/** One loop ticks for all works: two would set the page's time against each other. */
async function during<T>(clock: Clock, work: Promise<T>): Promise<T> {
  clock.works += 1;
  const end = () => (clock.works -= 1);
  work.then(end, end);
  clock.ticking ??= ticks(clock);
  await Promise.race([clock.ticking, work]);
  return work;
}

async function ticks(clock: Clock): Promise<void> {
  try {
    while (!clock.page.detached && clock.works > 0) await tick(clock);
  } finally {
    // At once: work that comes next must not rely on a loop that has ended.
    clock.ticking = undefined;
  }
}

async function tick(clock: Clock): Promise<void> {
  const startedAt = performance.now();
  if (clock.isVirtual && clock.stops === 0) await advance(clock);
  await frame(clock);
  const left = FRAME_MS - (performance.now() - startedAt);
  if (left > 0) await setTimeout(left);
}

/**
 * A page sees what other threads answer, such as storage, only as its clock turns. So while they do, it turns
 * for each answer: a chain of requests would take a frame for each else.
 */
async function advance(clock: Clock): Promise<void> {
  const { at } = await read(clock);
  const sinceMs = performance.now() - clock.tickedAt;
  clock.tickedAt += sinceMs;
  // A busy machine ticks less often.
  const ms = sinceMs < TIMEOUT_MS ? Math.max(sinceMs, FRAME_MS) : FRAME_MS;
  await run(clock, 'advance', at, at + ms, TIMEOUT_MS);
  const until = performance.now() + FRAME_MS;
  while (clock.works > 0 && performance.now() < until && (await isAnswering(clock)))
    await pulse(clock.page, PULSE_MS, TIMEOUT_MS);
}

async function isAnswering({ isPoolBusy }: Clock): Promise<boolean> {
  if (isPoolBusy()) return true;
  await setTimeout(PULSE_MS);
  return isPoolBusy();
}

async function step(clock: Clock, at: number, end: number, isHeld: () => boolean): Promise<Moment> {
  const wall = performance.now();
  clock.isVirtual = true;
  const now = await run(clock, 'pauseIfNetworkFetchesPending', at, end, FRAME_MS);
  if (now.at >= end - TOLERANCE_MS) {
    clock.held = undefined;
    return now;
  }
  await frame(clock);
  if (clock.stops > 0) {
    clock.held = undefined;
    await setTimeout(FRAME_MS);
    return now;
  }
  // Chromium also waits for streams and pings. A page's own fetch timeout must still expire.
  const held = isHeld() ? (clock.held ?? { at, wall }) : undefined;
  clock.held = held;
  const next = held ? held.at + performance.now() - held.wall : now.at + BACKGROUND_STEP_MS;
  const to = Math.min(end, Math.max(next, now.at + FRAME_MS));
  return run(clock, 'advance', now.at, to, TIMEOUT_MS);
}
