import { CLOCK_STEP_MS } from '../clock/skip-in-steps.ts';
import type { Observation } from './observation.ts';
import { AT_FIRST, busyTickMs, isHeld, poolAfter, type PoolWork } from './pool-work.ts';

/**
 * `loading`: the document has not loaded. `running`: the page has time of its own left, which is skipped.
 * `expecting`: work of the wall clock may follow, such as a worker's result. `idle`: nothing follows.
 */
export type State = 'loading' | 'running' | 'expecting' | 'idle';

/** The page's clock follows the wall clock, skips ahead, runs what is due, or pauses for an inspection. */
export type ClockMode = 'wall' | 'skip' | 'tick' | 'still';

/** A page's state, and how its clock turns next. */
export type Readiness = {
  state: State;
  clock: ClockMode;
  /** A tick waits so long by the wall clock. */
  tickMs: number;
  because: string;
  /** The page's time when it has nothing more to show, and when no more of it is skipped. */
  restAt: number;
  endAt: number;
  quietTicksLeft: number;
  sequelsLeft: number;
  pool: PoolWork;
  /** Its frames must be drawn from now on. */
  isDrawn: boolean;
  /** What was known when the clock last advanced, and the work when page time was last skipped. */
  respondedUrls: number;
  work: number;
  skippedWork: number;
};

/** How long a state may last by the wall clock: a third party may hang, and some pages never rest. */
export const TIMEOUT_MS = { loading: 15_000, settling: 5_000 } as const;

/** Page time without a timer, after which the page has nothing more to show. */
const BUDGET_MS = 5_000;
/** The same after work of the wall clock, such as a worker's: its results come soon. */
const SEQUEL_MS = 2_000;
const MAX_MS = 20_000;
/** Work of the wall clock that repeats, such as a stream's, never rests. */
const MAX_SEQUELS = 3;
/** After the last script, so that a slow machine has time too. */
const QUIET_TICKS = 2;
/** The same after a worker was busy: it may be waiting for a timer of its own. */
const QUIET_WORKER_TICKS = 5;

export const LOADING: Readiness = {
  state: 'loading',
  clock: 'wall',
  tickMs: 0,
  because: 'the document is loading',
  restAt: 0,
  endAt: 0,
  quietTicksLeft: QUIET_TICKS,
  sequelsLeft: MAX_SEQUELS,
  pool: AT_FIRST,
  isDrawn: false,
  respondedUrls: 0,
  work: 0,
  skippedWork: 0,
};

/** A page whose document has loaded, or is not waited for any longer, and that has had its first frame. */
export const started = ({
  at,
  work,
  respondedUrls,
}: Pick<Observation, 'at' | 'work' | 'respondedUrls'>): Readiness => ({
  ...LOADING,
  state: 'running',
  clock: 'skip',
  because: 'page time is left',
  restAt: at + BUDGET_MS,
  endAt: at + MAX_MS,
  respondedUrls,
  work,
  skippedWork: work,
});

type Rule = {
  because: string;
  when: (seen: Observation, readiness: Readiness) => boolean;
  to: State;
  clock?: ClockMode;
  /** Page time that the page gets from now on. */
  grantsMs?: number;
  isSequel?: true;
  isDrawn?: true;
};

/** The first that holds decides. */
const WHILE_LOADING: readonly Rule[] = [
  { because: 'the document is loading', when: ({ isLoaded }) => !isLoaded, to: 'loading' },
  { because: 'nothing in the document can change it', when: ({ isStatic }) => isStatic, to: 'idle' },
];
const LOADED: Rule = { because: 'the document has loaded', when: () => true, to: 'running' };

const WHILE_SETTLING: readonly Rule[] = [
  { because: 'the page navigates', when: ({ hasLeft }) => hasLeft, to: 'idle' },
  {
    because: 'a URL has responded for the first time',
    when: ({ respondedUrls }, readiness) => respondedUrls !== readiness.respondedUrls,
    to: 'running',
    grantsMs: BUDGET_MS,
  },
  { because: 'threads of the pool answer the page', when: (_, { pool }) => isHeld(pool), to: 'expecting' },
  { because: 'page time is left', when: (seen, readiness) => hasTime(seen, readiness), to: 'running' },
  {
    because: 'threads have just worked',
    when: (_, { quietTicksLeft }) => quietTicksLeft > 0,
    to: 'expecting',
  },
  { because: 'work may follow', when: ({ expectedMs }) => expectedMs > 0, to: 'expecting' },
  {
    because: 'the screen is not inspected yet',
    when: ({ screen }) => screen === undefined,
    to: 'expecting',
    clock: 'still',
  },
  {
    because: 'a view transition is drawn',
    when: ({ screen, at }, { endAt }) => screen?.isInTransition === true && at < endAt,
    to: 'running',
    grantsMs: SEQUEL_MS,
    isDrawn: true,
  },
  {
    because: 'work of the wall clock has reached the page',
    when: ({ work }, { skippedWork, sequelsLeft }) => work > skippedWork && sequelsLeft > 0,
    to: 'running',
    grantsMs: SEQUEL_MS,
    isSequel: true,
  },
  {
    because: 'an idle callback is pending',
    when: ({ screen }) => screen?.isIdling === true,
    to: 'running',
    grantsMs: SEQUEL_MS,
  },
];
const NOTHING_FOLLOWS: Rule = { because: 'nothing follows', when: () => true, to: 'idle' };

/** The next state of the page, and how its clock turns next. Pure. */
export function transition(before: Readiness, seen: Observation): Readiness {
  const now = counted(before, seen);
  const [rules, otherwise] =
    before.state === 'loading'
      ? ([WHILE_LOADING, LOADED] as const)
      : ([WHILE_SETTLING, NOTHING_FOLLOWS] as const);
  const rule = rules.find(({ when }) => when(seen, now)) ?? otherwise;
  const { because, grantsMs } = rule;
  const next = {
    ...now,
    because,
    restAt: grantsMs === undefined ? now.restAt : seen.at + grantsMs,
    sequelsLeft: now.sequelsLeft - (rule.isSequel ? 1 : 0),
    isDrawn: now.isDrawn || rule.isDrawn === true,
    respondedUrls: seen.respondedUrls,
    work: seen.work,
  };
  return rule === LOADED ? started(seen) : { ...next, ...goingOn(rule, next, seen) };
}

/** A page whose time is over runs at wall-clock pace instead. */
function goingOn(
  { to, clock }: Rule,
  readiness: Readiness,
  seen: Observation,
): Pick<Readiness, 'state' | 'clock' | 'tickMs'> {
  if (to === 'loading') return { state: to, clock: 'wall', tickMs: 0 };
  if (to === 'running' && hasTime(seen, readiness)) return { state: to, clock: 'skip', tickMs: 0 };
  const isQuiet = seen.threads === 'none' && readiness.quietTicksLeft <= QUIET_TICKS;
  const tickMs = isQuiet ? seen.expectedMs : busyTickMs(readiness.pool);
  return { state: to === 'running' ? 'expecting' : to, clock: clock ?? 'tick', tickMs };
}

const hasTime = ({ at }: Observation, { restAt, endAt }: Readiness) =>
  at + CLOCK_STEP_MS < Math.min(restAt, endAt);

/** The counters after a turn of the clock. */
function counted(last: Readiness, { work, threads, lateMs }: Observation): Readiness {
  const { clock, quietTicksLeft, tickMs } = last;
  const before = { ...last, pool: poolAfter(last.pool, threads, tickMs) };
  if (clock === 'skip') {
    // A result that was there when the threads were last seen at rest has reached the page since.
    const prolonged = Math.max(quietTicksLeft, QUIET_TICKS);
    return { ...before, restAt: before.restAt + lateMs, skippedWork: work, quietTicksLeft: prolonged };
  }
  if (clock !== 'tick') return before;
  if (threads === 'workers') return { ...before, quietTicksLeft: QUIET_WORKER_TICKS };
  const hasWorked = work > before.work || threads === 'pool';
  return {
    ...before,
    quietTicksLeft: hasWorked ? Math.max(quietTicksLeft, QUIET_TICKS) : quietTicksLeft - 1,
  };
}
