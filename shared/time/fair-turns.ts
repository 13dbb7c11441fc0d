import { untilAborted } from './until-aborted.ts';

type Options = {
  /** Tasks in progress at once, of different groups. */
  places: number;
  /** Time a group may take within `windowMs`, in bursts too, before it leaves the other places to others. */
  budgetMs: number;
  windowMs: number;
  now?: () => number;
};

type Task = { begin: () => Promise<unknown> };

export type FairTurns = <T>(group: string, work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

type Turns = {
  places: number;
  /** Groups in the order in which they take turns. */
  waiting: Map<string, Task[]>;
  running: Set<string>;
  spent: ReturnType<typeof budgets>;
  now: () => number;
};

/**
 * Lets groups take turns: one task of a group at a time, and the next is of the group that was served longest
 * ago. Groups over their budget share one place, so another is soon free for the rest. A failed
 * task does not block the next. A task whose signal aborts fails at once with its reason, and does not begin.
 */
export function fairTurns({ places, budgetMs, windowMs, now = () => performance.now() }: Options): FairTurns {
  const spent = budgets(budgetMs, windowMs, now);
  const turns: Turns = { places, waiting: new Map(), running: new Set(), spent, now };
  return <T>(group: string, work: () => Promise<T>, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const begin = async () => {
      if (signal.aborted) return;
      const result = work();
      result.then(resolve, reject);
      await result;
    };
    turns.waiting.set(group, [...(turns.waiting.get(group) ?? []), { begin }]);
    advance(turns);
    return untilAborted(promise, signal);
  };
}

function advance(turns: Turns): void {
  while (turns.running.size < turns.places) {
    const group = next(turns);
    const task = group === undefined ? undefined : turns.waiting.get(group)?.shift();
    if (group === undefined || task === undefined) return;
    void run(turns, group, task);
  }
}

function next({ waiting, running, spent }: Turns): string | undefined {
  const ready = [...waiting.keys()].filter((group) => !running.has(group));
  const within = ready.find((group) => !spent.isOver(group));
  const isTaken = [...running].some((group) => spent.isOver(group));
  return within ?? (isTaken ? undefined : ready[0]);
}

async function run(turns: Turns, group: string, { begin }: Task): Promise<void> {
  const { waiting, running, spent, now } = turns;
  running.add(group);
  const begunAt = now();
  await begin().catch(() => undefined);
  spent.add(group, now() - begunAt);
  running.delete(group);
  const others = waiting.get(group) ?? [];
  waiting.delete(group);
  if (others.length > 0) waiting.set(group, others);
  advance(turns);
}

/** Time that groups have taken. It is forgotten at the pace of the budget. */
function budgets(budgetMs: number, windowMs: number, now: () => number) {
  const spent = new Map<string, { ms: number; at: number }>();
  const left = (group: string): number => {
    const { ms, at } = spent.get(group) ?? { ms: 0, at: now() };
    return Math.max(0, ms - ((now() - at) * budgetMs) / windowMs);
  };
  return {
    isOver: (group: string) => left(group) > budgetMs,
    add: (group: string, ms: number) => {
      spent.set(group, { ms: left(group) + ms, at: now() });
      for (const each of spent.keys()) if (left(each) === 0) spent.delete(each);
    },
  };
}
