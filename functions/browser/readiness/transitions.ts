import { CLOCK_STEP_MS } from '../clock/skip-in-steps.ts';
import { GRACE_MS } from './expected-work.ts';
import type { Observation } from './observation.ts';
import { busyTickMs, isHeld, poolAfter } from './pool-work.ts';
import {
  BUDGET_MS,
  type ClockMode,
  MAX_BUSY_TICKS,
  QUIET_TICKS,
  QUIET_WORKER_TICKS,
  type Readiness,
  SEQUEL_MS,
  type State,
  started,
} from './readiness.ts';

/** By the wall clock, between two looks at a page whose work follows it. */
const LOOK_MS = 250;
/** A look is due after such a silence of the network, or after so many new URLs have responded. */
const SILENT_MS = 500;
const NEW_URLS = 3;

type Rule = {
  because: string;
  when: (seen: Observation, readiness: Readiness) => boolean;
  to: State;
  clock?: ClockMode;
  /** Page time that the page gets from now on. */
  grantsMs?: number;
  isSequel?: true;
  isDrawn?: true;
  isPainted?: true;
};

/** The first that holds decides. */
const WHILE_LOADING: readonly Rule[] = [
  {
    because: 'what is missing of the document is not waited for',
    when: ({ isLoaded, isAbandoned }) => !isLoaded && isAbandoned,
    to: 'running',
  },
  { because: 'the document is loading', when: ({ isLoaded }) => !isLoaded, to: 'loading' },
  { because: 'nothing in the document can change it', when: ({ isStatic }) => isStatic, to: 'idle' },
];
const LOADED: Rule = { because: 'the document has loaded', when: () => true, to: 'running' };

const NEWS: Rule = {
  because: 'a URL has responded for the first time',
  when: ({ respondedUrls }, readiness) => respondedUrls !== readiness.respondedUrls,
  to: 'running',
  grantsMs: BUDGET_MS,
};
const WHILE_SETTLING: readonly Rule[] = [
  { because: 'the page navigates', when: ({ hasLeft }) => hasLeft, to: 'idle' },
  {
    because: 'what the page shows is not known',
    when: (seen, readiness) => seen.screen === undefined && isLookDue(seen, readiness),
    to: 'expecting',
    clock: 'still',
  },
  {
    because: 'a worker or a stream has time of its own',
    when: ({ liveMs, threads, isShown }, { quietTicksLeft }) =>
      (liveMs > 0 || threads === 'workers' || quietTicksLeft > QUIET_TICKS) && !isShown,
    to: 'expecting',
    grantsMs: BUDGET_MS,
  },
  NEWS,
  { because: 'threads of the pool answer the page', when: (_, { pool }) => isHeld(pool), to: 'expecting' },
  { because: 'page time is left', when: (seen, readiness) => hasTime(seen, readiness), to: 'running' },
  {
    because: 'threads have just worked',
    when: (_, { quietTicksLeft }) => quietTicksLeft > 0,
    to: 'expecting',
  },
  {
    because: 'work may follow',
    // Scripts that run again and again lead to nothing by that alone.
    when: ({ expectedMs }, { busyTicksLeft }) => expectedMs > (busyTicksLeft > 0 ? 0 : GRACE_MS.script),
    to: 'expecting',
  },
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
    because: 'a page that lacks its content may wait for a paint',
    when: ({ screen, at }, { isPainted, endAt }) =>
      screen?.mayFollowPaint === true && !isPainted && at < endAt,
    to: 'running',
    grantsMs: SEQUEL_MS,
    isPainted: true,
  },
  {
    because: 'work of the wall clock has reached the page',
    when: ({ work, isShown }, { skippedWork, sequelsLeft, busyTicksLeft }) =>
      work > skippedWork && sequelsLeft > 0 && busyTicksLeft > 0 && !isShown,
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
  {
    because: 'a page that polls still waits for its content',
    when: ({ screen, isPolling }) => screen !== undefined && isPolling,
    to: 'running',
    grantsMs: BUDGET_MS,
  },
  {
    because: 'a page that waits for its content may still request it',
    when: ({ screen, at }, { waitsUntil }) => screen?.shows === 'waiting' && at < waitsUntil,
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
    isPainted: now.isPainted || rule.isPainted === true,
    ...(rule === NEWS && { respondedUrls: seen.respondedUrls, busyTicksLeft: MAX_BUSY_TICKS }),
    work: seen.work,
    ...(seen.screen && { isSeen: true, seenUrls: seen.respondedUrls, lookAt: seen.wall + LOOK_MS }),
  };
  return before.state === 'loading' && rule.to === 'running'
    ? { ...started(seen), because }
    : { ...next, ...goingOn(rule, next, seen) };
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

function isLookDue(seen: Observation, { isSeen, seenUrls, lookAt, firstLookAt }: Readiness): boolean {
  const { isFetching, isHeadMissing, liveMs, silentMs, respondedUrls, wall, isAnswered } = seen;
  if (!isSeen && (!isHeadMissing || liveMs > 0 || wall >= firstLookAt)) return true;
  if (respondedUrls - seenUrls >= NEW_URLS || isAnswered) return true;
  return wall >= lookAt && (liveMs > 0 || (isFetching && silentMs >= SILENT_MS));
}

const hasTime = ({ at }: Observation, { restAt, endAt }: Readiness) =>
  at + CLOCK_STEP_MS < Math.min(restAt, endAt);

/** The counters after a turn of the clock. */
function counted(last: Readiness, { work, threads, lateMs, isShown }: Observation): Readiness {
  const { clock, quietTicksLeft, tickMs } = last;
  const before = { ...last, pool: poolAfter(last.pool, threads, tickMs) };
  if (clock === 'skip') {
    // A result that was there when the threads were last seen at rest has reached the page since.
    const prolonged = Math.max(quietTicksLeft, QUIET_TICKS);
    return { ...before, restAt: before.restAt + lateMs, skippedWork: work, quietTicksLeft: prolonged };
  }
  if (clock !== 'tick') return before;
  // Beside content that is shown, a worker may tick for ever.
  if (threads === 'workers' && !isShown) return { ...before, quietTicksLeft: QUIET_WORKER_TICKS };
  const isBusy = work > before.work && before.busyTicksLeft > 0;
  return {
    ...before,
    busyTicksLeft: before.busyTicksLeft - Number(isBusy),
    quietTicksLeft: isBusy || threads === 'pool' ? Math.max(quietTicksLeft, QUIET_TICKS) : quietTicksLeft - 1,
  };
}
