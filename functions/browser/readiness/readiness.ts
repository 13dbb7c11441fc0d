import type { Observation } from './observation.ts';
import { AT_FIRST, type PoolWork } from './pool-work.ts';

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
  /** How many more ticks the page's own scripts may keep it from being quiet: some timers never end. */
  busyTicksLeft: number;
  sequelsLeft: number;
  pool: PoolWork;
  /** Its frames must be drawn from now on. */
  isDrawn: boolean;
  /** One frame has been drawn, or is to be now, for a page that waits for a paint. */
  isPainted: boolean;
  /** What was known when the clock last advanced, and the work when page time was last skipped. */
  respondedUrls: number;
  work: number;
  skippedWork: number;
  /** Of the last look at its screen: the responses until then, and the next look by the wall clock. */
  isSeen: boolean;
  seenUrls: number;
  lookAt: number;
  /** By the wall clock, the first look is due though the network is never silent. */
  firstLookAt: number;
  /** Page time that a page which still waits for its content gets at least. */
  waitsUntil: number;
};

/** How long a state may last by the wall clock: a third party may hang, and some pages never rest. */
export const TIMEOUT_MS = { loading: 15_000, settling: 5_000, abandoned: 2_500, waiting: 6_200 } as const;

/** Page time without a timer, after which the page has nothing more to show. */
export const BUDGET_MS = 5_000;
/** The same after work of the wall clock, such as a worker's: its results come soon. */
export const SEQUEL_MS = 2_000;
const MAX_MS = 20_000;
/** Work of the wall clock that repeats, such as a stream's, never rests. */
const MAX_SEQUELS = 3;
/** Page time after which a page that waits for its content requests nothing more. */
const WAITING_MS = 6_000;
/** Wall-clock time in which a page that requests one thing after another is not inspected. */
const FIRST_LOOK_MS = 500;
/** After the last script, so that a slow machine has time too. */
export const QUIET_TICKS = 2;
/** For so long, the scripts of a page without time left may keep it from being quiet. */
export const MAX_BUSY_TICKS = 15;
/** As `QUIET_TICKS`, after a worker was busy: it may be waiting for a timer of its own. */
export const QUIET_WORKER_TICKS = 5;

export const LOADING: Readiness = {
  state: 'loading',
  clock: 'wall',
  tickMs: 0,
  because: 'the document is loading',
  restAt: 0,
  endAt: 0,
  quietTicksLeft: QUIET_TICKS,
  busyTicksLeft: MAX_BUSY_TICKS,
  sequelsLeft: MAX_SEQUELS,
  pool: AT_FIRST,
  isDrawn: false,
  isPainted: false,
  respondedUrls: 0,
  work: 0,
  skippedWork: 0,
  isSeen: false,
  seenUrls: 0,
  lookAt: 0,
  firstLookAt: 0,
  waitsUntil: 0,
};

/** A page whose document has loaded, or is not waited for any longer, and that has had its first frame. */
export const started = ({
  at,
  work,
  wall,
  respondedUrls,
}: Pick<Observation, 'at' | 'work' | 'wall' | 'respondedUrls'>): Readiness => ({
  ...LOADING,
  state: 'running',
  clock: 'skip',
  because: 'page time is left',
  restAt: at + BUDGET_MS,
  endAt: at + MAX_MS,
  respondedUrls,
  work,
  skippedWork: work,
  waitsUntil: at + WAITING_MS,
  firstLookAt: wall + FIRST_LOOK_MS,
});
