import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { LEASE_MARGIN_MS, leaseEnd } from '../../../shared/domain/work/lease.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { NO_SCRAPES, type Tally, withScrape } from '../../../shared/domain/accounts/credits/usage-days.ts';
import { endsWithin } from '../../../shared/time/ends-within.ts';
import type { Refusal } from '../crawls/crawl-page.ts';
import type { ExtraSlots } from './extra-slots.ts';
import type { LineResult } from './line-result.ts';
import {
  type LineContext,
  type LineLimits,
  type LineNeeds,
  type LineOutcome,
  runLine,
  type Task,
  timeoutOf,
  type Unended,
} from './run-line.ts';
import { addMs } from '../../../shared/time/units.ts';

export type RunLimits = LineLimits & {
  /** No line begins later, except beside a slow one. */
  until: Date;
  /** Of pages, which are kept in memory until they are stored. No line begins with more. */
  maxBytes: number;
  /** Has no other worker take the lines over before that time. False if one has. */
  leaseUntil: (end: Date) => Promise<boolean>;
  /** No more lines begin then. */
  isCancelled: () => Promise<boolean>;
  /** Waits until the host of a crawl may be requested. False if that is not in this turn. */
  mayStart?: () => Promise<boolean>;
};

/** The results of the lines of one turn, and why it ended before all of them were run. */
export type Ran = {
  results: LineResult[];
  retried: (Task & { due: Date })[];
  /** Not run, in their order. */
  left: Task[];
  tally: Tally;
  isThrottled: boolean;
  /** How the host of a crawl refused the last line, which counts as not tried. */
  refusal?: Refusal;
};

/** Prolongs the lease of a chunk, unless it has lapsed, for lines that may end after it. */
export function leaseOf(
  { chunks, now }: Pick<Effects, 'chunks' | 'now'>,
  owned: Chunk,
): RunLimits['leaseUntil'] {
  let leased = addMs(owned.dueAt ?? new Date(0), -LEASE_MARGIN_MS);
  return async (end) => {
    if (end <= leased) return true;
    if (leaseEnd(leased, 0) <= now()) return false;
    const isOwned = await chunks.replace(owned, { ...owned, dueAt: leaseEnd(end, 0) }).catch(() => false);
    if (isOwned) leased = end;
    return isOwned;
  };
}

/** A line that takes longer holds back no other. */
const SLOW_MS = 1_000;
const LOOK_MS = 100;

/**
 * Runs lines one after another, as long as the limits allow. While every lane has a slow line, the next lines
 * run beside them in slots that are free: as many new lanes as there are. Never throws.
 */
export async function runLines(
  fx: LineNeeds,
  tasks: readonly Task[],
  limits: RunLimits,
  context: LineContext,
  slots: ExtraSlots,
): Promise<Ran> {
  const line = queueOf(fx, tasks, limits);
  const lanes = new Set<Promise<void>>();
  const openLane = () => {
    const lane = runLane(fx, line, limits, context).finally(() => lanes.delete(lane));
    lanes.add(lane);
  };
  openLane();
  while (lanes.size > 0) {
    await endsWithin(Promise.race(lanes), LOOK_MS);
    while (slots.count() > Math.max(0, lanes.size - 1)) await slots.free();
    if (!line.areAllSlow(lanes.size)) continue;
    for (let wanted = lanes.size; wanted > 0 && line.mayBegin(); wanted--) {
      if (!(await slots.take())) break;
      openLane();
    }
  }
  return line.ran();
}

/** Runs one line after another in one slot. */
async function runLane(
  fx: LineNeeds,
  line: ReturnType<typeof queueOf>,
  limits: RunLimits,
  context: LineContext,
): Promise<void> {
  do {
    const task = await line.begin();
    if (task === undefined) return;
    line.end(task, await runLine(fx, task, limits, context));
  } while (fx.now() < limits.until);
}

/** The lines of a turn, which its lanes begin in their order. */
function queueOf({ now }: Pick<LineNeeds, 'now'>, tasks: readonly Task[], limits: RunLimits) {
  const waiting = [...tasks];
  const begun = new Map<Task, Date>();
  const ran: Ran = { results: [], retried: [], left: [...tasks], tally: NO_SCRAPES, isThrottled: false };
  let bytes = 0;
  let isStopped = false;

  /** A turn lasts as long as its slowest line, beside which others may begin. */
  const hasTime = () => now() < limits.until || (begun.size > 0 && now() < limits.deadlineAt);
  const mayBegin = () =>
    waiting.length > 0 && !isStopped && !limits.signal.aborted && bytes < limits.maxBytes && hasTime();
  return {
    mayBegin,
    begin: async (): Promise<Task | undefined> => {
      const [first] = waiting;
      if (first === undefined || !mayBegin()) return undefined;
      isStopped ||= await limits.isCancelled();
      isStopped ||= (await limits.mayStart?.()) === false;
      isStopped ||= !(await limits.leaseUntil(addMs(now(), timeoutOf(first))));
      const task = mayBegin() ? waiting.shift() : undefined;
      if (task) begun.set(task, now());
      return task;
    },
    end: (task: Task, outcome: LineOutcome | Unended): void => {
      begun.delete(task);
      if (outcome === 'stopped') isStopped = true;
      else if (outcome === 'throttled') isStopped = ran.isThrottled = true;
      else if ('refusal' in outcome) [isStopped, ran.refusal] = [true, outcome.refusal];
      else {
        addTo(ran, task, outcome);
        bytes += outcome.result?.page?.body.byteLength ?? 0;
      }
    },
    /** Whether so many lines are in progress, and all of them have been for a while. */
    areAllSlow: (lanes: number): boolean =>
      begun.size === lanes && [...begun.values()].every((at) => addMs(at, SLOW_MS) <= now()),
    ran: (): Ran => ran,
  };
}

function addTo(ran: Ran, task: Task, { result, ended, retryAt: due }: LineOutcome): void {
  ran.left.splice(ran.left.indexOf(task), 1);
  if (due) ran.retried.push({ ...task, attempts: task.attempts + 1, due });
  if (result) ran.results.push(result);
  if (ended) ran.tally = withScrape(ran.tally, ended);
}
